// A table of numbers with one hue from light to dark: ranks by steps, links between ranks. It is a
// table for those who do not see it.

import { h } from "../dom/element";
import { heat_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";
import { heat_share, scale_of, type HeatScale } from "./heat_scale";

export interface HeatCell {
  value: number | null;
  text: string;
  hint: string;
  on_click?: () => void;
}

export interface HeatMap {
  label: string;
  corner: string; // What rows and columns are: "rank \ step".
  rows: string[];
  columns: string[];
  cells: HeatCell[][];
  scale?: HeatScale; // Else that of its values.
}

export function heat_map(map: HeatMap): HTMLElement {
  const scale = map.scale ?? scale_of(map.cells.flat().map(({ value }) => value));
  const paint = (value: number) => heat_paint(heat_share(value, scale), is_dark());
  return h(
    "div",
    { class: "heat-map", tabindex: 0, role: "region", "aria-label": map.label },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { class: "corner" }, map.corner),
          map.columns.map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h(
        "tbody",
        {},
        map.cells.map((row, i) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, map.rows[i]),
            row.map((cell) => heat_cell(cell, paint)),
          ),
        ),
      ),
    ),
  );
}

function heat_cell(
  cell: HeatCell,
  paint: (value: number) => { fill: string; text: string },
): HTMLElement {
  if (cell.value === null) return h("td", { class: "none" }, cell.text);
  const { fill, text } = paint(cell.value);
  const style = { background: fill, color: text };
  if (!cell.on_click) return h("td", { title: cell.hint, style }, cell.text);
  return h(
    "td",
    { title: cell.hint, style },
    h("button", { type: "button", onclick: cell.on_click, style: { color: text } }, cell.text),
  );
}
