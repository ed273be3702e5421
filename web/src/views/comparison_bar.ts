// From any view to a comparison of what is shown now with something else, and what is compared.

import { h, replace_children } from "../dom/element";
import type { StateKey } from "../state/store";
import type { TimeMark } from "../state/url";
import { range_of_profile, timeline_clock } from "./chosen_range";
import { comparison, is_compared, other_title } from "./compared_parts";
import { kFresh, type Context } from "./context";
import { choice } from "./parts";

export const kCompared = [
  "other",
  "other_step",
  "base_range",
  "other_range",
] as const satisfies readonly StateKey[];
const kNotCompared = { other: null, other_step: null, base_range: null, other_range: null };

export class ComparisonBar {
  readonly element = h("span", { class: "with-label" });

  constructor(private readonly context: Pick<Context, "source" | "session" | "store" | "profiles">) {
    context.store.listen(["view", "range", "marks", ...kCompared], () => this.draw());
  }

  draw(): void {
    void this.fill();
  }

  private async fill(): Promise<void> {
    const { session, store, profiles, source } = this.context;
    const { p, step, range, marks } = store.state;
    if (source.is_report || store.state.view === "compare") {
      replace_children(this.element);
      return;
    }
    const steps = (await profiles.load(p).catch(() => null))?.steps ?? [];
    const part_of = (each: TimeMark) => `range ${each.begin}~${each.end}`;
    const ranges = marks.filter((mark) => mark.end > mark.begin);
    const entries = [
      ...session.profiles
        .filter((each) => each.id !== p)
        .map((each) => ({ value: `profile ${each.id}`, title: profiles.label(each.id) })),
      ...steps
        .filter((each) => range || each.number !== step)
        .map((each) => ({ value: `step ${each.number}`, title: `Step ${each.number}` })),
      ...ranges.map((mark) => ({ value: part_of(mark), title: mark.name || "Marked range" })),
      ...(range || step !== null ? [{ value: "all", title: "All steps" }] : []),
    ];
    replace_children(
      this.element,
      is_compared(store.state) && this.compared_now(),
      entries.length > 0 &&
        choice(
          "Compare with",
          [{ value: "", title: range ? "Compare the range …" : "Compare with …" }, ...entries],
          "",
          (value) => void this.compare_with(value, ranges.find((mark) => part_of(mark) === value)),
        ),
    );
  }

  // What stands beside the tables of all views, until it is ended.
  private compared_now(): HTMLElement {
    const { store, profiles } = this.context;
    const title = other_title(store.state, (p) => profiles.label(p));
    return h(
      "span",
      { class: "compared-now" },
      h(
        "a",
        {
          href: store.link({ view: "compare", ...kFresh }),
          title: "All differences",
          onclick: (event) => {
            event.preventDefault();
            store.set({ view: "compare", ...kFresh }, "push");
          },
        },
        `beside ${title}`,
      ),
      h(
        "button",
        {
          type: "button",
          class: "button quiet icon",
          "aria-label": "End the comparison",
          title: "End the comparison",
          onclick: () => store.set(kNotCompared, "push"),
        },
        "×",
      ),
    );
  }

  private async compare_with(value: string, mark: TimeMark | undefined): Promise<void> {
    const { store } = this.context;
    const { p, range } = store.state;
    const step = range ? null : store.state.step;
    const other = value.startsWith("profile ") ? Number(value.slice(8)) : p;
    const clock = await timeline_clock(this.context, p, other);
    const span = (q: number, times: readonly [number, number] | null) =>
      times && range_of_profile(clock, q, ...times);
    const part =
      other !== p
        ? { step, range: span(other, range) }
        : {
            step: value.startsWith("step ") ? Number(value.slice(5)) : null,
            range: mark ? span(p, [mark.begin, mark.end]) : null,
          };
    const base = { step, range: span(p, range) };
    store.set({ ...kFresh, ...comparison(other, base, part, store.state.view) }, "push");
  }
}
