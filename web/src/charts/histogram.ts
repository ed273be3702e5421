// Durations of one kind of slice by frequency; a drag chooses a part of them.

import { h, svg } from "../dom/element";
import { duration, integer, short_duration } from "../text/numbers";

export interface HistogramBin {
  begin: number;
  end: number;
  count: number;
}

export interface HistogramOptions {
  label: string;
  marked?: { at: number; name: string }[]; // Median, limit of outliers.
  on_select?: (begin: number, end: number) => void;
}

const kWidth = 640;
const kHeight = 150;
const kBase = 128; // y of the axis.

export function histogram(bins: readonly HistogramBin[], options: HistogramOptions): HTMLElement {
  if (bins.length === 0) return h("div", { class: "busy" }, "No slices.");
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  const width = kWidth / bins.length;
  const first = bins[0]!.begin;
  const last = bins[bins.length - 1]!.end;
  // Bins may grow with the duration: a moment is placed within its bin.
  const to_x = (at: number) => {
    const place = bins.findIndex((bin) => at < bin.end);
    const bin = bins[place];
    return bin
      ? (place + Math.max(0, at - bin.begin) / Math.max(bin.end - bin.begin, 1)) * width
      : kWidth;
  };
  const chosen = svg("rect", { class: "histogram-chosen", y: 0, height: kBase, width: 0 });
  const drawing = svg("svg", {
    class: "histogram",
    viewBox: `0 0 ${kWidth} ${kHeight}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `${options.label}: ${bins.map((bin) => `${short_duration(bin.begin)}: ${bin.count}`).join(", ")}`,
  });
  bins.forEach((bin, i) => {
    // The root of the share: single outliers stay visible beside thousands.
    const height = bin.count === 0 ? 0 : Math.max(3, Math.sqrt(bin.count / most) * (kBase - 10));
    drawing.append(
      svg(
        "rect",
        {
          class: "histogram-bin",
          x: i * width + 0.5,
          width: Math.max(width - 1, 0.5),
          y: kBase - height,
          height,
        },
        svg("title", {}, `${duration(bin.begin)} to ${duration(bin.end)}: ${integer(bin.count)}`),
      ),
    );
  });
  for (const mark of options.marked ?? []) {
    drawing.append(
      svg(
        "line",
        { class: "histogram-mark", x1: to_x(mark.at), x2: to_x(mark.at), y1: 0, y2: kBase },
        svg("title", {}, `${mark.name}: ${duration(mark.at)}`),
      ),
    );
  }
  drawing.append(chosen);
  const element = h(
    "figure",
    { class: "histogram-figure" },
    drawing as unknown as Node,
    h(
      "figcaption",
      { class: "histogram-axis faint" },
      h("span", {}, short_duration(first)),
      h(
        "span",
        {},
        options.marked?.map((mark) => `${mark.name} ${short_duration(mark.at)}`).join(" · ") ?? "",
      ),
      h("span", {}, short_duration(last)),
    ),
  );
  if (options.on_select) let_select(drawing, chosen, bins, options.on_select);
  return element;
}

function let_select(
  drawing: SVGSVGElement,
  chosen: SVGRectElement,
  bins: readonly HistogramBin[],
  on_select: (begin: number, end: number) => void,
): void {
  let from: number | null = null;
  const bin_at = (event: PointerEvent) => {
    const box = drawing.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * bins.length);
    return Math.max(0, Math.min(bins.length - 1, place));
  };
  const draw = (a: number, b: number) => {
    const width = kWidth / bins.length;
    chosen.setAttribute("x", String(Math.min(a, b) * width));
    chosen.setAttribute("width", String((Math.abs(a - b) + 1) * width));
  };
  drawing.addEventListener("pointerdown", (event) => {
    from = bin_at(event);
    drawing.setPointerCapture(event.pointerId);
    draw(from, from);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (from !== null) draw(from, bin_at(event));
  });
  drawing.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const to = bin_at(event);
    on_select(bins[Math.min(from, to)]!.begin, bins[Math.max(from, to)]!.end);
    from = null;
  });
}
