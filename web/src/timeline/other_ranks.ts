// The same slice on other ranks: of the same name, and as the same one in the order of time.

import type { TimelineModel } from "./model";
import type { SliceDetail, SliceRef } from "./slice_detail";

interface Hit {
  lane: number;
  event: number;
  begin: number;
  end: number;
  name: string;
  k: number;
}

export type OtherSlice = SliceRef & { p: number };

// Of those profiles that were read already: looking at one slice reads no other rank.
export async function find_on_other_ranks(
  model: TimelineModel,
  detail: SliceDetail,
): Promise<OtherSlice[]> {
  if (detail.same_on_other_ranks) return detail.same_on_other_ranks;
  const { source, session } = model.context;
  const others = session.profiles.filter((each) => each.id !== detail.p && each.state === "ready");
  if (others.length === 0) return [];
  const words = { q: detail.name, case: 1, word: 1 };
  const ask = async (p: number, which: object) =>
    (await source.json("hit", { ...words, p, ...which })) as Hit;
  try {
    const own = await ask(detail.p, { after: detail.begin });
    const found = await Promise.all(
      others.map(async ({ id: p }): Promise<OtherSlice | null> => {
        const hit = await ask(p, { k: own.k }).catch(() => null);
        return hit && hit.name === detail.name
          ? { p, lane: hit.lane, event: hit.event, begin: hit.begin, end: hit.end }
          : null;
      }),
    );
    return found.filter((each): each is OtherSlice => each !== null);
  } catch {
    return [];
  }
}
