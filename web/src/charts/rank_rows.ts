// One bar for each rank on one axis of time: who begins when.

import { h } from "../dom/element";
import { short_duration } from "../text/numbers";

export interface RankBar {
  label: string;
  begin: number; // ns after the first.
  length: number;
  hint: string;
  on_click?: () => void;
}

export function rank_rows(bars: readonly RankBar[]): HTMLElement {
  const end = Math.max(...bars.map((bar) => bar.begin + bar.length), 1);
  const percent = (value: number) => `${(value / end) * 100}%`;
  return h(
    "div",
    { class: "rank-rows", role: "list" },
    bars.map((bar) => {
      const style = { left: percent(bar.begin), width: percent(Math.max(bar.length, end / 400)) };
      const text = bar.begin > 0 ? `+${short_duration(bar.begin)}` : "";
      return h(
        "div",
        { class: "rank-row", role: "listitem", "aria-label": bar.hint },
        h("span", { class: "bar-label" }, bar.label),
        h(
          "div",
          { class: "rank-track" },
          bar.on_click
            ? h(
                "button",
                {
                  type: "button",
                  class: "rank-bar",
                  title: bar.hint,
                  "aria-label": `${bar.label}: show on the timeline`,
                  style,
                  onclick: bar.on_click,
                },
                short_duration(bar.length),
              )
            : h("span", { class: "rank-bar", title: bar.hint, style }, short_duration(bar.length)),
        ),
        h("span", { class: "number faint" }, text),
      );
    }),
  );
}
