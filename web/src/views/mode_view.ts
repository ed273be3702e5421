// A view that is the answer of one mode, or of a few under tabs: sentences and tables.

import type { Answer } from "../api/types";
import { h, replace_children } from "../dom/element";
import { ask, stacked } from "./answers";
import type { Context, View } from "./context";
import { sentences, Slot, tab_buttons } from "./parts";

export interface ModeTab {
  mode: string;
  title: string;
  parameters?: Record<string, string>;
  // Drawn above the tables; and tables that it stands for, or that are shown besides.
  picture?: (context: Context, answer: Answer) => HTMLElement | null;
  instead_of?: ReadonlySet<string>;
}

export function mode_view(context: Context, tabs: readonly ModeTab[]): View {
  const head = h("div", {});
  const slot = new Slot(h("div", {}));
  const element = h("div", { class: "page-body" }, head, slot.element);
  const known = tabs.filter((tab) => context.session.modes.some((mode) => mode.name === tab.mode));
  const show = () => {
    const now = known.find((tab) => tab.title === context.store.state.tab) ?? known[0];
    if (!now) return;
    const question = context.session.modes.find((mode) => mode.name === now.mode)?.question ?? "";
    replace_children(
      head,
      h(
        "div",
        { class: "bar" },
        known.length > 1 &&
          tab_buttons(
            "Analysis",
            known.map((tab) => ({ name: tab.title, title: tab.title })),
            now.title,
            (tab) => {
              context.store.set({ tab, sort: "", find: "" });
              show();
            },
          ),
        h("span", { class: "soft" }, question),
      ),
    );
    void slot.fill(async (signal) => {
      const answer = await ask(context, now.mode, now.parameters ?? {}, signal);
      const tables = answer.tables.filter((table) => !now.instead_of?.has(table.name));
      return [
        sentences(answer.sentences),
        now.picture?.(context, answer),
        stacked(context, now.mode, { ...answer, tables }, now.parameters ?? {}),
      ];
    });
  };
  show();
  return { element, destroy: () => slot.stop() };
}
