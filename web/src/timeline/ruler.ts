// The axis of time above the lanes, and what stands on it: steps, marks, the selected range.

import type { TimeMark } from "../state/url";
import { nice_step, duration } from "../text/numbers";
import { tick_text } from "../text/ticks";
import { css_colour } from "../theme/theme";
import { length, to_x, type Span } from "./viewport";

export const kRulerHeight = 42;
const kStepStrip = 16;

export interface RulerContent {
  view: Span;
  width: number;
  steps: { number: number; begin: number; end: number }[];
  marks: readonly TimeMark[];
  range: Span | null;
  pointer: number | null; // Time under the pointer.
}

export function draw_ruler(pen: CanvasRenderingContext2D, content: RulerContent): void {
  const { view, width } = content;
  pen.fillStyle = css_colour("--surface");
  pen.fillRect(0, 0, width, kRulerHeight);
  pen.font = `11px ${css_colour("--font")}`;
  pen.textBaseline = "middle";
  draw_steps(pen, content);
  const step = nice_step((length(view) / width) * 92);
  pen.strokeStyle = css_colour("--line-strong");
  pen.lineWidth = 1;
  const first = Math.ceil(view.begin / step) * step;
  for (let time = first; time <= view.end; time += step) {
    const x = Math.round(to_x(time, view, width)) + 0.5;
    pen.beginPath();
    pen.moveTo(x, kRulerHeight - 7);
    pen.lineTo(x, kRulerHeight);
    pen.stroke();
    pen.fillStyle = css_colour("--text-soft");
    pen.fillText(tick_text(Math.abs(time) < step / 1e6 ? 0 : time, step), x + 4, kStepStrip + 12);
  }
  pen.fillStyle = css_colour("--line");
  pen.fillRect(0, kRulerHeight - 1, width, 1);
}

function draw_steps(pen: CanvasRenderingContext2D, { steps, view, width }: RulerContent): void {
  const ink = css_colour("--text-soft");
  for (const step of steps) {
    const x0 = Math.max(to_x(step.begin, view, width), 0);
    const x1 = Math.min(to_x(step.end, view, width), width);
    if (x1 <= x0) continue;
    pen.fillStyle = css_colour(step.number % 2 === 0 ? "--sunken" : "--hover");
    pen.fillRect(x0, 0, x1 - x0, kStepStrip);
    if (x1 - x0 > 48) {
      pen.fillStyle = ink;
      pen.fillText(`Step ${step.number}`, x0 + 5, kStepStrip / 2 + 0.5);
    }
  }
}

// Lines through all lanes.
export function draw_moments(
  pen: CanvasRenderingContext2D,
  content: RulerContent,
  height: number,
): void {
  const { view, width } = content;
  const line = (time: number, colour: string, dash: number[]) => {
    const x = Math.round(to_x(time, view, width)) + 0.5;
    if (x < 0 || x > width) return;
    pen.strokeStyle = colour;
    pen.lineWidth = 1;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(x, kStepStrip);
    pen.lineTo(x, height);
    pen.stroke();
    pen.setLineDash([]);
  };
  for (const step of content.steps) line(step.begin, css_colour("--line-strong"), [2, 4]);
  for (const mark of content.marks) draw_mark(pen, mark, content, height, line);
  if (content.pointer !== null) line(content.pointer, css_colour("--line-strong"), []);
}

function draw_mark(
  pen: CanvasRenderingContext2D,
  mark: TimeMark,
  { view, width }: RulerContent,
  height: number,
  line: (time: number, colour: string, dash: number[]) => void,
): void {
  const colour = css_colour("--mark");
  const x0 = to_x(mark.begin, view, width);
  const x1 = to_x(mark.end, view, width);
  if (x1 < 0 || x0 > width) return;
  if (mark.end > mark.begin) {
    pen.globalAlpha = 0.1;
    pen.fillStyle = colour;
    pen.fillRect(x0, kRulerHeight, x1 - x0, height - kRulerHeight);
    pen.globalAlpha = 1;
    line(mark.end, colour, []);
  }
  line(mark.begin, colour, []);
  const text = mark.name || (mark.end > mark.begin ? duration(mark.end - mark.begin) : "mark");
  const wide = pen.measureText(text).width + 10;
  pen.fillStyle = colour;
  pen.fillRect(x0, kStepStrip, wide, 14);
  pen.fillStyle = css_colour("--on-accent");
  pen.fillText(text, x0 + 5, kStepStrip + 7.5);
}

// The selected range: its edges on the ruler, its length between them.
export function draw_range(
  pen: CanvasRenderingContext2D,
  range: Span,
  content: RulerContent,
): void {
  const { view, width } = content;
  const x0 = Math.max(to_x(range.begin, view, width), 0);
  const x1 = Math.min(to_x(range.end, view, width), width);
  if (x1 < 0 || x0 > width) return;
  pen.fillStyle = css_colour("--select");
  pen.fillRect(x0, kRulerHeight - 3, Math.max(x1 - x0, 1), 3);
  const text = duration(length(range));
  const wide = pen.measureText(text).width + 12;
  const middle = Math.max(2, Math.min((x0 + x1) / 2 - wide / 2, width - wide - 2));
  pen.fillRect(middle, kStepStrip + 4, wide, 16);
  pen.fillStyle = css_colour("--on-accent");
  pen.fillText(text, middle + 6, kStepStrip + 12.5);
}
