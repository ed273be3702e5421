// Two profiles, or two steps, side by side.

import type { Answer } from "../api/types";
import { h, replace_children } from "../dom/element";
import { TableBlock } from "../tables/table_block";
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
    const { p, step, other_step } = store.state;
    const set = (patch: Parameters<typeof store.set>[0]) => {
      store.set(patch);
      void this.draw();
    };
    const entries = session.profiles.map((each) => ({
      value: String(each.id),
      title: profiles.label(each.id),
    }));
    const [mine, others] = await Promise.all([this.steps(p), this.steps(this.other)]);
    const step_choice = (
      label: string,
      steps: number[],
      now: number | null,
      choose: (step: number | null) => void,
    ) =>
      choice(
        label,
        [
          { value: "", title: "All steps" },
          ...steps.map((each) => ({ value: String(each), title: `Step ${each}` })),
        ],
        now === null ? "" : String(now),
        (value) => choose(value === "" ? null : Number(value)),
      );
    replace_children(
      this.head,
      h("span", { class: "soft" }, "Baseline"),
      choice("Baseline", entries, String(p), (value) =>
        set({ p: Number(value), slice: null, t: null }),
      ),
      step_choice("Step of the baseline", mine, step, (value) => set({ step: value })),
      h("span", { class: "soft" }, "compared with"),
      choice("Compared with", entries, String(this.other), (value) =>
        set({ other: Number(value) }),
      ),
      step_choice("Step of the other", others, other_step, (value) => set({ other_step: value })),
    );
    void this.slot.fill(async (signal) => {
      const parameters = { p, q: this.other, step, other_step };
      await Promise.all([profiles.load(p), profiles.load(this.other)]);
      const answer = (await this.context.source.json("compare", parameters, signal)) as Answer;
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
          answer.tables
            .filter(
              (table) =>
                table.columns.length > 0 && (table as { on_page?: boolean }).on_page !== false,
            )
            .map(block),
        ),
      ];
    });
  }

  private async steps(p: number): Promise<number[]> {
    try {
      return (await this.context.profiles.load(p)).steps.map((step) => step.number);
    } catch {
      return [];
    }
  }
}
