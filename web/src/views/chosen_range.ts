// Times of the timeline, which count from the zero of the first profile that it shows, as times of
// a profile.

import { Clock } from "../timeline/clock";
import type { Context } from "./context";

export async function timeline_clock(
  { profiles, store }: Pick<Context, "profiles" | "store">,
  ...asked: number[]
): Promise<Clock> {
  const { p, ranks, offsets } = store.state;
  const clock = new Clock();
  clock.set(
    await Promise.all(
      [ranks[0] ?? p, ...asked].map(async (each) => ({
        p: each,
        zero_ns: (await profiles.load(each)).zero_ns,
      })),
    ),
    offsets,
  );
  return clock;
}

export function range_of_profile(
  clock: Clock,
  p: number,
  begin: number,
  end: number,
): [number, number] {
  return [Math.floor(clock.to_profile(p, begin)), Math.ceil(clock.to_profile(p, end))];
}

export async function chosen_range(
  context: Pick<Context, "profiles" | "store">,
  p: number,
): Promise<[number, number] | null> {
  const { range } = context.store.state;
  return range ? range_of_profile(await timeline_clock(context, p), p, ...range) : null;
}
