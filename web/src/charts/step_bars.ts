// Bars of equal scale whose parts sum to the whole: steps, ranks. Nothing by colour alone: parts
// differ in pattern too, and are labelled.

import { h, type Child } from "../dom/element";
import { exact_duration, share, short_duration, time_unit, in_unit } from "../text/numbers";
import { category_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";

export interface BarPart {
  name: string;
  category: string;
  pattern: "solid" | "striped" | "hatched";
  ns: number;
}

export interface Bar {
  label: string;
  parts: BarPart[];
  heading?: string; // Above it: whose bars follow.
  on_click?: () => void;
}

function legend(parts: readonly BarPart[]): HTMLElement {
  return h(
    "div",
    { class: "bar-legend" },
    parts.map((part) => h("span", {}, part_box(part, "legend-box"), part.name)),
  );
}

function part_box(part: BarPart, name: string): HTMLElement {
  const paint = category_paint(part.category, is_dark());
  return h("span", {
    class: `${name} pattern-${part.pattern}`,
    style: { "--fill": paint.fill, "--on-fill": paint.text },
  });
}

function draw_part(part: BarPart, whole: number, widest: number): Child {
  if (part.ns <= 0) return null;
  const element = part_box(part, "bar-part");
  const width = (part.ns / widest) * 100;
  element.style.width = `${width}%`;
  element.title = `${part.name}: ${exact_duration(part.ns)}, ${share(part.ns / whole)}`;
  const part_share = share(part.ns / whole);
  if (width > 20) element.append(h("span", {}, `${short_duration(part.ns)} · ${part_share}`));
  else if (width > 8) element.append(h("span", {}, part_share));
  return element;
}

function describe(bar: Bar, whole: number): string {
  const parts = bar.parts.map((part) => `${part.name} ${exact_duration(part.ns)}`);
  return `${bar.label}: ${exact_duration(whole)}; ${parts.join(", ")}`;
}

export function step_bars(bars: readonly Bar[]): HTMLElement {
  const wholes = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.ns, 0));
  const widest = Math.max(...wholes, 1);
  const unit = time_unit(widest);
  const first = bars[0];
  return h(
    "div",
    { class: "step-bars" },
    first && legend(first.parts),
    h(
      "div",
      { class: "bar-rows", role: "list" },
      bars.map((bar, i) => [
        bar.heading && h("div", { class: "soft", role: "presentation" }, bar.heading),
        h(
          "div",
          { class: "bar-row", role: "listitem", "aria-label": describe(bar, wholes[i]!) },
          bar.on_click
            ? h(
                "button",
                { type: "button", class: "button quiet bar-label", onclick: bar.on_click },
                bar.label,
              )
            : h("span", { class: "bar-label" }, bar.label),
          h(
            "div",
            { class: "bar-track" },
            bar.parts.map((part) => draw_part(part, wholes[i]!, widest)),
          ),
          h(
            "span",
            { class: "bar-total number", title: exact_duration(wholes[i]!) },
            `${in_unit(wholes[i]!, unit)} ${unit.name}`,
          ),
        ),
      ]),
    ),
  );
}
