// Marks of the user: they live in the address of the page, so a link has them.

import { button, h } from "../dom/element";
import type { TimeMark } from "../state/url";
import { duration, exact_duration } from "../text/numbers";
import type { TimelineModel } from "./model";
import { fit } from "./viewport";

export function marks_panel(model: TimelineModel): HTMLElement {
  const { store } = model.context;
  const { marks } = store.state;
  if (marks.length === 0) {
    return h(
      "div",
      { class: "busy" },
      "No marks. A click on the ruler or k marks a moment, m marks the selected range. Marks are in the address, so a link has them.",
    );
  }
  const change = (i: number, mark: TimeMark | null) => {
    const next = marks.flatMap((each, k) => (k === i ? (mark ? [mark] : []) : [each]));
    store.set({ marks: next });
  };
  return h(
    "ul",
    { class: "plain marks" },
    marks.map((mark, i) => {
      const name = h("input", {
        class: "field",
        value: mark.name,
        placeholder: "Name",
        "aria-label": `Name of mark ${i + 1}`,
        onchange: () => change(i, { ...mark, name: name.value }),
      });
      const length = mark.end > mark.begin ? ` · ${duration(mark.end - mark.begin)}` : "";
      return h(
        "li",
        {},
        name,
        h("span", { title: exact_duration(mark.begin) }, `${duration(mark.begin)}${length}`),
        button(
          "Show",
          () => model.show(fit(mark, model.whole, mark.end > mark.begin ? 0.3 : 200), true),
          { class: "button quiet" },
        ),
        button("Remove", () => change(i, null), { class: "button quiet" }),
      );
    }),
  );
}
