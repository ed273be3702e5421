// Why the device does nothing: causes, then what exactly, where and in which lines.

import type { Table } from "../api/types";
import { h } from "../dom/element";
import { duration, share } from "../text/numbers";
import { ask, find_table, stacked, value_of } from "./answers";
import type { Context, View } from "./context";
import { sentences, Slot } from "./parts";
import { category_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";

export class IdleView implements View {
  readonly element: HTMLElement;
  private readonly slot = new Slot(h("div", {}));

  constructor(context: Context) {
    this.element = h("div", { class: "page-body" }, this.slot.element);
    void this.slot.fill(async (signal) => {
      const answer = await ask(context, "idle", {}, signal);
      const causes = find_table(answer, "idle_causes");
      return [
        sentences(answer.sentences),
        causes && cause_bar(context, causes),
        stacked(context, "idle", answer),
      ];
    });
  }

  destroy(): void {
    this.slot.stop();
  }
}

// All idle time in one bar; causes are labelled, not told by colour alone.
function cause_bar(context: Context, table: Table): HTMLElement {
  // The colours that gaps have on the timeline.
  const categories = new Map(
    context.session.idle_causes?.map((each) => [each.name, each.category]),
  );
  const parts = table.rows.map((_, row) => ({
    name: String(value_of(table, row, "cause") ?? ""),
    share: Number(value_of(table, row, "idle_share") ?? 0),
    total: Number(value_of(table, row, "total") ?? 0),
  }));
  return h(
    "div",
    {
      class: "cause-bar",
      role: "img",
      "aria-label": parts.map((part) => `${part.name} ${share(part.share)}`).join(", "),
    },
    parts.map((part) => {
      const paint = category_paint(categories.get(part.name) ?? "other", is_dark());
      return h(
        "div",
        {
          title: `${part.name}: ${duration(part.total)}, ${share(part.share)}`,
          style: { width: `${part.share * 100}%`, background: paint.fill, color: paint.text },
        },
        part.share > 0.08 && `${part.name} · ${share(part.share)}`,
      );
    }),
  );
}
