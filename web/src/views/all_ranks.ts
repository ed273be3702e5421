// Questions about all ranks of a cluster.

import type { Parameters } from "../api/client";
import { h, replace_children } from "../dom/element";
import type { Context } from "./context";

const kPause = 300; // ms

// A cluster loads ranks when they are looked at: here all of them are. `place` tells how far it is.
async function load_all({ session, profiles }: Context, place: HTMLElement): Promise<void> {
  const total = session.profiles.length;
  let ready = 0;
  const tell = () =>
    replace_children(
      place,
      h(
        "div",
        { class: "busy", role: "status" },
        `Reading ranks: ${ready} of ${total}`,
        h("div", { class: "progress" }, h("div", { style: { width: `${(ready / total) * 100}%` } })),
      ),
    );
  for (const entry of session.profiles) {
    if (entry.state !== "ready") tell();
    await profiles.load(entry.id).catch(() => null); // Said by `failed` of the reply.
    ready++;
  }
}

// The answer of all ranks: as long as some are still being read, it is asked for again.
export async function ask_all_ranks(
  context: Context,
  place: HTMLElement,
  path: string,
  parameters: Parameters,
  signal: AbortSignal,
): Promise<unknown> {
  await load_all(context, place);
  for (;;) {
    const reply = (await context.source.json(path, parameters, signal)) as { pending?: number };
    if (!reply.pending) return reply;
    await new Promise((resolve) => setTimeout(resolve, kPause));
    signal.throwIfAborted();
  }
}
