// A pipeline over time: a row for each rank, bars for its passes, lines for what is sent from row
// to row. One tab stop; arrows go from bar to bar.

import { button, h, svg } from "../dom/element";
import { nice_step } from "../text/numbers";
import { tick_text } from "../text/ticks";
import { category_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";

export interface PipelineBar {
  begin: number; // ns
  length: number;
  category: string;
  pattern: "solid" | "striped" | "hatched";
  label: string;
  hint: string;
  on_click: () => void;
}

export interface PipelineLine {
  from: number; // Rows.
  to: number;
  begin: number;
  end: number;
}

export interface PipelineTrack {
  label: string;
  hint: string;
  bars: PipelineBar[];
  transfers: { begin: number; length: number; hint: string }[];
  total: string;
  on_click: () => void;
}

const kRow = 34; // px, as .pipeline-row has it
const kLeastBar = 14; // px: a chart with more of them is wider than its place.
const kTicks = 8;

function percent(value: number, length: number): string {
  return `${(value / length) * 100}%`;
}

export function pipeline_rows(
  label: string,
  tracks: readonly PipelineTrack[],
  lines: readonly PipelineLine[],
  length: number,
): HTMLElement {
  const most = Math.max(...tracks.map((track) => track.bars.length), 1);
  const grid = tracks.map((track) => track.bars.map((bar) => draw_bar(bar, length)));
  grid.find((row) => row.length > 0)?.[0]?.setAttribute("tabindex", "0");
  return h(
    "div",
    { class: "pipeline", role: "group", "aria-label": label },
    h(
      "div",
      { class: "pipeline-names" },
      tracks.map((track) =>
        button(track.label, track.on_click, { class: "button quiet bar-label", title: track.hint }),
      ),
    ),
    h(
      "div",
      { class: "pipeline-scroll", onkeydown: (event) => on_key(event, grid) },
      h(
        "div",
        { class: "pipeline-area", style: { "min-width": `${most * kLeastBar}px` } },
        axis(length),
        tracks.map((track, i) =>
          h(
            "div",
            { class: "pipeline-row" },
            track.transfers.map((each) =>
              h("span", {
                class: "pipeline-transfer",
                title: each.hint,
                style: {
                  left: percent(each.begin, length),
                  width: percent(each.length, length),
                },
              }),
            ),
            grid[i]!,
          ),
        ),
        draw_lines(lines, tracks.length, length),
      ),
    ),
    h(
      "div",
      { class: "pipeline-totals" },
      tracks.map((track) => h("span", { class: "number faint" }, track.total)),
    ),
  );
}

function axis(length: number): HTMLElement {
  const step = nice_step(length / kTicks);
  const ticks: HTMLElement[] = [];
  for (let at = 0; at <= length * 0.97; at += step)
    ticks.push(h("span", { style: { left: percent(at, length) } }, tick_text(at, step)));
  return h("div", { class: "pipeline-axis", "aria-hidden": "true" }, ticks);
}

function draw_bar(bar: PipelineBar, length: number): HTMLElement {
  const paint = category_paint(bar.category, is_dark());
  return h(
    "button",
    {
      type: "button",
      class: `pipeline-bar pattern-${bar.pattern}`,
      tabindex: -1,
      title: bar.hint,
      "aria-label": bar.hint,
      "data-begin": bar.begin,
      style: {
        left: percent(bar.begin, length),
        width: percent(bar.length, length),
        "--fill": paint.fill,
        "--on-fill": paint.text,
      },
      onclick: bar.on_click,
    },
    h("span", { "aria-hidden": "true" }, bar.label),
  );
}

// Down the stages whole, up them dashed.
function draw_lines(
  lines: readonly PipelineLine[],
  rows: number,
  length: number,
): Node {
  const height = rows * kRow;
  const drawing = svg("svg", {
    class: "pipeline-lines",
    viewBox: `0 0 1000 ${height}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const x = (time: number) => (time / length) * 1000;
  const y = (row: number) => (row + 0.5) * kRow;
  for (const line of lines)
    drawing.append(
      svg("line", {
        x1: x(line.begin),
        x2: x(line.end),
        y1: y(line.from),
        y2: y(line.to),
        class: line.to > line.from ? "" : "upwards",
      }),
    );
  return drawing;
}

function begin_of(bar: HTMLElement): number {
  return Number(bar.dataset["begin"]);
}

function on_key(event: KeyboardEvent, grid: readonly (readonly HTMLElement[])[]): void {
  const now = event.target as HTMLElement;
  const row = grid.findIndex((bars) => bars.includes(now));
  if (row < 0) return;
  const place = grid[row]!.indexOf(now);
  const next = next_bar(event.key, grid, row, place);
  if (!next) return;
  event.preventDefault();
  now.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

// In a row above or below the one that begins nearest.
function next_bar(
  key: string,
  grid: readonly (readonly HTMLElement[])[],
  row: number,
  place: number,
): HTMLElement | undefined {
  if (key === "ArrowRight") return grid[row]![place + 1];
  if (key === "ArrowLeft") return grid[row]![place - 1];
  if (key === "Home") return grid[row]![0];
  if (key === "End") return grid[row]!.at(-1);
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  if (step === 0) return undefined;
  const begin = begin_of(grid[row]![place]!);
  for (let other = row + step; other >= 0 && other < grid.length; other += step) {
    const bars = grid[other]!;
    const distance = (bar: HTMLElement) => Math.abs(begin_of(bar) - begin);
    if (bars.length > 0) return bars.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  }
  return undefined;
}
