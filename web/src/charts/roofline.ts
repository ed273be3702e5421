// Kernels by intensity and speed, on logarithmic axes, below what the chip can do.

import { h, svg } from "../dom/element";
import { duration, real } from "../text/numbers";
import { category_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";

export interface RooflinePoint {
  type: string;
  numbers: string;
  intensity: number; // FLOP per byte.
  tflops: number;
  total: number; // ns
  bound: string;
}

const kWidth = 900;
const kHeight = 330;
const kLeft = 56;
const kNamed = 8; // The longest have their name beside them.
const kBottom = 296;

interface Axes {
  x(intensity: number): number;
  y(tflops: number): number;
  x_range: [number, number];
  y_range: [number, number];
}

function powers(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.ceil(Math.log10(Math.max(...positive)) + 0.01);
  return [low, Math.max(high, low + 1)];
}

function make_axes(points: readonly RooflinePoint[], peak: number | null): Axes {
  const x_range = powers([...points.map((point) => point.intensity), 1, 1000]);
  const y_range = powers([...points.map((point) => point.tflops), ...(peak ? [peak] : [])]);
  const scale =
    ([low, high]: [number, number], from: number, to: number) =>
    (value: number) =>
      from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  return {
    x: scale(x_range, kLeft, kWidth - 12),
    y: scale(y_range, kBottom, 12),
    x_range,
    y_range,
  };
}

export function roofline(
  points: readonly RooflinePoint[],
  peak_tflops: number | null,
  peak_gb_s: number | null,
  pick: (name: string) => void,
): HTMLElement {
  const axes = make_axes(points, peak_tflops);
  const drawing = svg("svg", {
    class: "roofline",
    viewBox: `0 0 ${kWidth} ${kHeight}`,
    role: "img",
    "aria-label": "Roofline: TFLOP/s over FLOP per byte; the table below has the numbers",
  });
  draw_axes(drawing, axes);
  draw_roof(drawing, axes, peak_tflops, peak_gb_s);
  const named = new Set([...points].sort((a, b) => b.total - a.total).slice(0, kNamed));
  const most = Math.max(...points.map((point) => point.total), 1);
  for (const point of [...points].sort((a, b) => b.total - a.total)) {
    const circle = svg(
      "circle",
      {
        cx: axes.x(point.intensity),
        cy: axes.y(point.tflops),
        r: 4 + 14 * Math.sqrt(point.total / most),
        fill: category_paint(point.bound === "memory" ? "vector" : "cube", is_dark()).fill,
        "fill-opacity": 0.75,
      },
      svg(
        "title",
        {},
        `${point.type} (${point.numbers}): ${real(point.tflops)} TFLOP/s at ${real(point.intensity)} FLOP/B, ${duration(point.total)}${point.bound ? `, bound by ${point.bound}` : ""}`,
      ),
    );
    circle.addEventListener("click", () => pick(point.type));
    drawing.append(circle);
    if (named.has(point))
      drawing.append(
        svg(
          "text",
          {
            class: "point-name",
            x: axes.x(point.intensity) + 8 + 14 * Math.sqrt(point.total / most),
            y: axes.y(point.tflops) + 4,
          },
          point.type,
        ),
      );
  }
  return h("figure", { class: "roofline-figure" }, drawing as unknown as Node);
}

function draw_axes(drawing: SVGSVGElement, axes: Axes): void {
  for (let power = axes.x_range[0]; power <= axes.x_range[1]; power++) {
    const x = axes.x(10 ** power);
    drawing.append(
      svg("line", { class: "axis", x1: x, x2: x, y1: 12, y2: kBottom }),
      svg("text", { x, y: kBottom + 15, "text-anchor": "middle" }, String(10 ** power)),
    );
  }
  for (let power = axes.y_range[0]; power <= axes.y_range[1]; power++) {
    const y = axes.y(10 ** power);
    drawing.append(
      svg("line", { class: "axis", x1: kLeft, x2: kWidth - 12, y1: y, y2: y }),
      svg("text", { x: kLeft - 6, y: y + 4, "text-anchor": "end" }, String(10 ** power)),
    );
  }
  drawing.append(
    svg("text", { x: kWidth - 12, y: kHeight - 4, "text-anchor": "end" }, "FLOP per byte"),
    svg("text", { x: kLeft + 6, y: 24 }, "TFLOP/s"),
  );
}

// Below the bend memory is the limit, right of it the units that compute.
function draw_roof(
  drawing: SVGSVGElement,
  axes: Axes,
  peak: number | null,
  gb_s: number | null,
): void {
  if (!peak) return;
  const left = 10 ** axes.x_range[0];
  const right = 10 ** axes.x_range[1];
  const points: string[] = [];
  if (gb_s) {
    const floor = 10 ** axes.y_range[0];
    const start = Math.max(left, (floor * 1000) / gb_s);
    points.push(`${axes.x(start)},${axes.y((start * gb_s) / 1000)}`);
    const bend = (peak * 1000) / gb_s;
    if (bend < right) points.push(`${axes.x(bend)},${axes.y(peak)}`);
  } else {
    points.push(`${axes.x(left)},${axes.y(peak)}`);
  }
  points.push(`${axes.x(right)},${axes.y(peak)}`);
  drawing.append(svg("polyline", { class: "roof", points: points.join(" ") }));
  // Kernels that reach the peak are at the right: where no slope is, the left is free.
  const place = gb_s ? { x: kWidth - 16, "text-anchor": "end" } : { x: kLeft + 6 };
  drawing.append(
    svg(
      "text",
      { ...place, y: axes.y(peak) - 5 },
      `peak ${real(peak)} TFLOP/s`,
    ),
  );
}
