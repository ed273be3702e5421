// Two profiles, or two steps or ranges of time, side by side.

import type { Answer } from "../api/types";
import { h, replace_children } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { shown_tables } from "./answers";
import { range_of_profile, timeline_clock } from "./chosen_range";
import {
  marked_ranges,
  part_choices,
  part_key,
  type ComparedPart,
  type PartChoice,
} from "./compared_parts";
import type { Context, View } from "./context";
import { choice, sentences, Slot } from "./parts";

export class CompareView implements View {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "bar" });
  private readonly slot = new Slot(h("div", {}));

  constructor(private readonly context: Context) {
    this.element = h("div", { class: "page-body" }, this.head, this.slot.element);
    void this.draw();
  }

  destroy(): void {
    this.slot.stop();
  }

  private get other(): number {
    const { session, store } = this.context;
    const { other, p } = store.state;
    return other ?? session.profiles.find((each) => each.id !== p)?.id ?? p;
  }

  private async draw(): Promise<void> {
    const { store, profiles, session } = this.context;
    const { p, step, other_step, base_range, other_range } = store.state;
    const set = (patch: Parameters<typeof store.set>[0]) => {
      store.set(patch);
      void this.draw();
    };
    const entries = session.profiles.map((each) => ({
      value: String(each.id),
      title: profiles.label(each.id),
    }));
    const base = base_range ? { step: null, range: base_range } : { step, range: null };
    const other = other_range
      ? { step: null, range: other_range }
      : { step: other_step, range: null };
    const [mine, others] = await Promise.all([
      this.parts(p, base),
      this.parts(this.other, other),
    ]);
    const part_choice = (
      label: string,
      parts: PartChoice[],
      now: ComparedPart,
      choose: (part: ComparedPart) => void,
    ) =>
      choice(label, parts, part_key(now), (value) =>
        choose(parts.find((each) => each.value === value)!.part),
      );
    replace_children(
      this.head,
      h("span", { class: "soft" }, "Baseline"),
      choice("Baseline", entries, String(p), (value) =>
        set({ p: Number(value), slice: null, t: null, base_range: null }),
      ),
      part_choice("Step of the baseline", mine, base, (part) =>
        set({ step: part.step, base_range: part.range }),
      ),
      h("span", { class: "soft" }, "compared with"),
      choice("Compared with", entries, String(this.other), (value) =>
        set({ other: Number(value), other_range: null }),
      ),
      part_choice("Step of the other", others, other, (part) =>
        set({ other: this.other, other_step: part.step, other_range: part.range }),
      ),
      store.state.other !== null &&
        h("span", { class: "faint" }, "Tables of all views have this beside them now."),
    );
    void this.slot.fill(async (signal) => {
      const parameters = {
        p,
        q: this.other,
        step: base.step,
        t0: base.range?.[0],
        t1: base.range?.[1],
        other_step: other.step,
        other_t0: other.range?.[0],
        other_t1: other.range?.[1],
      };
      await Promise.all([profiles.load(p), profiles.load(this.other)]);
      const answer = (await this.context.source.json("compare", parameters, signal)) as Answer;
      // What the view showed from which the comparison was asked for.
      const first = store.state.tab;
      const block = (table: Answer["tables"][number]) =>
        h(
          "section",
          { class: "card" },
          new TableBlock(this.context, table, { rows_shown: 14, path: "compare", parameters })
            .element,
        );
      return [
        sentences(answer.sentences),
        h(
          "div",
          { class: "stacked" },
          shown_tables(answer)
            .sort((a, b) => Number(b.name === first) - Number(a.name === first))
            .map(block),
        ),
      ];
    });
  }

  private async parts(p: number, now: ComparedPart): Promise<PartChoice[]> {
    try {
      const { steps } = await this.context.profiles.load(p);
      const clock = await timeline_clock(this.context, p);
      const ranges = marked_ranges(this.context.store.state.marks, (begin, end) =>
        range_of_profile(clock, p, begin, end),
      );
      return part_choices(
        steps.map((step) => step.number),
        ranges,
        now,
      );
    } catch {
      return part_choices([], [], now);
    }
  }
}
