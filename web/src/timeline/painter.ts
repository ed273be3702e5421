// Draws lanes on a canvas: no more work than there are pixels, since data comes in buckets.

import {
  kBucket,
  kDoubtful,
  kInstant,
  kUnfinished,
  type CounterLane,
  type SliceLane,
} from "../api/slices";
import { category_paint } from "../theme/palette";
import { real } from "../text/numbers";
import { css_colour } from "../theme/theme";
import { closed_line_height, kRowHeight, type Row } from "./lane_tree";
import { hatch_pattern, kBusySteps, type PaintCache } from "./paints";
import { length, type Span } from "./viewport";

export interface LaneLook {
  view: Span; // In the time of the lane's profile.
  width: number;
  top: number; // y of the row on the canvas.
  paints: PaintCache;
  lit: ((name: number) => boolean) | null; // Others are dimmed.
  hovered_name: number;
  selected_event: number;
  gaps: boolean; // All of the lane is time in which nothing runs.
  stale: boolean;
}

interface Colours {
  back: string;
  line: string;
  text: string;
  faint: string;
  select: string;
  dim: string;
  font: string;
}

const kLeastText = 26; // px of a slice that shows its name.
const kThin = 1.5; // px
const kFade = 28; // px over which an unfinished slice fades.

interface CounterStep {
  x: number; // Whole pixels.
  wide: number;
  top: number; // Of the greatest value,
  bottom: number; // and of the least.
}

// The samples of a series that are in view; those that share a pixel as one, and neighbours that
// look alike.
function counter_steps(
  data: CounterLane,
  series: number,
  { view, width }: LaneLook,
  lane_end: number,
  to_y: (value: number) => number,
): CounterStep[] {
  const scale = width / length(view);
  const steps: CounterStep[] = [];
  let last: CounterStep | undefined;
  for (let i = 0; i < data.n; i++) {
    const x = Math.max(Math.round((data.time[i]! - view.begin) * scale), 0);
    if (x > width) break;
    const end = Math.round(((data.time[i + 1] ?? lane_end) - view.begin) * scale);
    if (end < 0) continue;
    const top = to_y(data.max[i * data.series + series]!);
    const bottom = to_y(data.min[i * data.series + series]!);
    if (last && x < last.x + last.wide) {
      last.top = Math.min(last.top, top);
      last.bottom = Math.max(last.bottom, bottom);
    }
    const from = last ? Math.max(x, last.x + last.wide) : x;
    const to = Math.min(Math.max(end, x + 1), width + 1);
    if (to <= from) continue;
    if (last && from === last.x + last.wide && top === last.top && bottom === last.bottom) {
      last.wide += to - from;
      continue;
    }
    last = { x: from, wide: to - from, top, bottom };
    steps.push(last);
  }
  return steps;
}

// Slices of about a pixel, of which a busy lane has thousands: neighbours of one colour are one
// rectangle of whole pixels, none lies upon another, and each colour is set once.
class ThinSlices {
  private readonly by_fill = new Map<string, number[]>(); // Left, top, width of each rectangle.
  private fill = "";
  private y = -1;
  private from = 0;
  private to = 0;

  add(column: number, y: number, fill: string): void {
    const is_near = y === this.y && column >= this.from;
    if (is_near && column < this.to) return;
    if (!is_near || fill !== this.fill || column !== this.to) {
      this.end();
      this.fill = fill;
      this.y = y;
      this.from = column;
    }
    this.to = column + 1;
  }

  private end(): void {
    if (this.y < 0) return;
    const rectangles = this.by_fill.get(this.fill);
    if (rectangles) rectangles.push(this.from, this.y, this.to - this.from);
    else this.by_fill.set(this.fill, [this.from, this.y, this.to - this.from]);
  }

  // How many rectangles there were.
  draw(pen: CanvasRenderingContext2D, height: number): number {
    this.end();
    let count = 0;
    for (const [fill, rectangles] of this.by_fill) {
      pen.fillStyle = fill;
      for (let i = 0; i < rectangles.length; i += 3)
        pen.fillRect(rectangles[i]!, rectangles[i + 1]!, rectangles[i + 2]!, height);
      count += rectangles.length / 3;
    }
    return count;
  }
}

export class Painter {
  private colours!: Colours;
  private hatch: CanvasPattern | null = null;
  private gap_hatch: CanvasPattern | null = null;
  private readonly widths = new Map<string, number>();
  rectangles = 0; // Drawn since begin().

  constructor(
    readonly pen: CanvasRenderingContext2D,
    private dark: boolean,
  ) {
    this.set_theme(dark);
  }

  set_theme(dark: boolean): void {
    this.dark = dark;
    this.colours = {
      back: css_colour("--back"),
      line: css_colour("--line"),
      text: css_colour("--text"),
      faint: css_colour("--text-faint"),
      select: css_colour("--select"),
      dim: dark ? "rgba(20,23,28,0.72)" : "rgba(255,255,255,0.76)",
      font: css_colour("--font"),
    };
    this.hatch = hatch_pattern(this.pen, css_colour("--hatch"), 8);
    this.gap_hatch = hatch_pattern(
      this.pen,
      dark ? "rgba(20,23,28,0.55)" : "rgba(255,255,255,0.55)",
      6,
    );
  }

  begin(width: number, height: number): void {
    this.rectangles = 0;
    this.pen.fillStyle = this.colours.back;
    this.pen.fillRect(0, 0, width, height);
    this.pen.font = `11px ${this.colours.font}`;
    this.pen.textBaseline = "middle";
  }

  lane_back(row: Row, width: number, top: number, hatched: boolean): void {
    const { pen } = this;
    pen.fillStyle = this.colours.line;
    pen.globalAlpha = 0.6;
    pen.fillRect(0, top + row.height - 1, width, 1);
    pen.globalAlpha = 1;
    if (hatched && this.hatch) {
      pen.fillStyle = this.hatch;
      pen.fillRect(0, top, width, row.height - 1);
    }
  }

  header_back(row: Row, width: number, top: number): void {
    this.pen.fillStyle = css_colour("--surface");
    this.pen.fillRect(0, top, width, row.height);
    this.pen.fillStyle = this.colours.line;
    this.pen.fillRect(0, top + row.height - 1, width, 1);
  }

  slices(data: SliceLane, row: Row, look: LaneLook): void {
    const row_height = row.open ? kRowHeight : closed_line_height(row);
    const shown = row.open ? kRowHeight - 2 : Math.max(row_height, 1);
    const first = look.top + (row.open ? 2 : 3);
    this.slice_rows(data, look, first, row_height, shown, row.open);
  }

  // One strip of a closed group.
  strip(data: SliceLane, look: LaneLook, top: number, height: number): void {
    this.slice_rows(data, look, top, 0, Math.max(height, 1), false);
  }

  private slice_rows(
    data: SliceLane,
    look: LaneLook,
    first: number,
    step: number,
    height: number,
    with_text: boolean,
  ): void {
    const { pen } = this;
    const scale = look.width / length(look.view);
    const { begin } = look.view;
    let fill = "";
    const thin = new ThinSlices();
    for (let i = 0; i < data.n; i++) {
      const x0 = (data.start[i]! - begin) * scale;
      if (x0 > look.width) continue;
      const x1 = x0 + data.duration[i]! * scale;
      if (x1 < 0) continue;
      const left = Math.max(x0, -2);
      const wide = Math.max(Math.min(x1, look.width + 2) - left, 1);
      const y = first + data.row[i]! * step;
      const flags = data.flags[i]!;
      const name = data.name[i]!;
      const paint = look.paints.get(name);
      if (flags & kInstant) {
        this.instant(left, y, height, paint.fills[kBusySteps - 1]!);
        fill = "";
        continue;
      }
      const busy = flags & kBucket ? (data.busy[i]! * (kBusySteps - 1)) / 255 : kBusySteps - 1;
      const wanted = paint.fills[Math.round(busy)]!;
      const is_gap = paint.is_gap || look.gaps;
      const special =
        is_gap ||
        flags & kDoubtful ||
        look.lit ||
        name === look.hovered_name ||
        data.event[i] === look.selected_event;
      if (wide < kThin && !special) {
        thin.add(Math.floor(left), y, wanted);
        continue;
      }
      if (wanted !== fill) {
        pen.fillStyle = wanted;
        fill = wanted;
      }
      const gap = wide > 3 ? 0.5 : 0; // Neighbours of one colour are told apart.
      if (flags & kUnfinished && wide > 4) {
        this.fading(left, y, wide, height, wanted);
        fill = "";
      } else {
        pen.fillRect(left, y, wide - gap, height);
      }
      this.rectangles++;
      if (special) {
        this.over(left, y, wide - gap, height, data, i, look, is_gap);
        fill = "";
      }
      if (with_text && wide > kLeastText) {
        this.label(
          paint.name,
          Math.max(left, 0),
          y,
          Math.min(x1, look.width) - Math.max(left, 0),
          height,
          paint.text,
        );
        fill = "";
      }
    }
    this.rectangles += thin.draw(pen, height);
  }

  // What makes one slice look unlike others.
  private over(
    x: number,
    y: number,
    wide: number,
    height: number,
    data: SliceLane,
    i: number,
    look: LaneLook,
    is_gap: boolean,
  ): void {
    const { pen } = this;
    const is_free = look.paints.get(data.name[i]!).category === "free";
    if (is_gap && wide > 5 && this.gap_hatch && this.hatch) {
      pen.fillStyle = is_free ? this.hatch : this.gap_hatch;
      pen.fillRect(x, y, wide, height);
    }
    if (data.flags[i]! & kDoubtful && this.hatch) {
      pen.fillStyle = this.hatch;
      pen.fillRect(x, y, wide, height);
    }
    if (look.lit && !look.lit(data.name[i]!)) {
      pen.fillStyle = this.colours.dim;
      pen.fillRect(x, y, wide, height);
    } else if (data.name[i] === look.hovered_name) {
      pen.fillStyle = this.dark ? "rgba(255,255,255,0.28)" : "rgba(255,255,255,0.38)";
      pen.fillRect(x, y, wide, height);
    }
    if (data.event[i] === look.selected_event) {
      pen.strokeStyle = this.colours.select;
      pen.lineWidth = 2;
      pen.strokeRect(x - 1, y - 1, Math.max(wide, 1) + 2, height + 2);
      pen.strokeStyle = this.colours.back;
      pen.lineWidth = 1;
      if (wide > 6) pen.strokeRect(x + 0.5, y + 0.5, wide - 1, height - 1);
    }
  }

  private instant(x: number, y: number, height: number, fill: string): void {
    const { pen } = this;
    pen.fillStyle = fill;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + 4, y + height);
    pen.lineTo(x - 4, y + height);
    pen.closePath();
    pen.fill();
    this.rectangles++;
  }

  private fading(x: number, y: number, wide: number, height: number, fill: string): void {
    const { pen } = this;
    const solid = Math.max(wide - kFade, wide / 3);
    const gradient = pen.createLinearGradient(x + solid, 0, x + wide, 0);
    gradient.addColorStop(0, fill);
    gradient.addColorStop(1, fill.replace("rgb(", "rgba(").replace(")", ",0)"));
    pen.fillStyle = fill;
    pen.fillRect(x, y, solid, height);
    pen.fillStyle = gradient;
    pen.fillRect(x + solid, y, wide - solid, height);
  }

  private label(
    name: string,
    x: number,
    y: number,
    room: number,
    height: number,
    colour: string,
  ): void {
    const { pen } = this;
    const free = room - 8;
    let width = this.widths.get(name);
    if (width === undefined) {
      width = pen.measureText(name).width;
      this.widths.set(name, width);
    }
    let text = name;
    if (width > free) {
      const signs = Math.floor((free / width) * name.length) - 1;
      if (signs < 2) return;
      text = `${name.slice(0, signs)}…`;
    }
    pen.fillStyle = colour;
    pen.fillText(text, x + 4, y + height / 2 + 0.5, free); // Wide letters are drawn closer.
  }

  counter(data: CounterLane, row: Row, look: LaneLook): void {
    const { pen } = this;
    const lane = row.lane!;
    const high = Math.max(lane.max ?? 1, 0);
    const low = Math.min(lane.min ?? 0, 0);
    const room = row.height - 8;
    const to_y = (value: number) =>
      Math.round(look.top + 4 + room * (1 - (value - low) / Math.max(high - low, 1e-12)));
    const colour = category_paint(lane.category || "convolution", this.dark).fill;
    const zero = to_y(0);
    pen.fillStyle = colour;
    for (let series = data.series - 1; series >= 0; series--) {
      const steps = counter_steps(data, series, look, lane.end, to_y);
      pen.globalAlpha = 0.22 / data.series + 0.1;
      for (const { x, wide, bottom } of steps)
        pen.fillRect(x, Math.min(bottom, zero), wide, Math.abs(zero - bottom));
      pen.globalAlpha = 0.4;
      for (const { x, wide, top, bottom } of steps)
        if (bottom > top) pen.fillRect(x, top, wide, bottom - top);
      pen.globalAlpha = 1;
      for (const { x, wide, top } of steps) pen.fillRect(x, top, wide, 1.5);
      this.rectangles += steps.length * 3;
    }
    // Of a single curve the name is its unit.
    const unit = lane.unit ?? (lane.series?.length === 1 ? lane.series[0]! : "");
    if (row.open) this.counter_limits(unit === lane.name ? "" : unit, low, high, look);
  }

  private counter_limits(unit: string, low: number, high: number, look: LaneLook): void {
    const { pen } = this;
    const text = `${real(high)}${unit ? ` ${unit}` : ""}`;
    pen.font = `10px ${this.colours.font}`;
    const wide = pen.measureText(text).width + 8;
    pen.globalAlpha = 0.8;
    pen.fillStyle = this.colours.back;
    pen.fillRect(2, look.top + 2, wide, 13);
    pen.globalAlpha = 1;
    pen.fillStyle = this.colours.faint;
    pen.fillText(text, 6, look.top + 9);
    if (low < 0) pen.fillText(real(low), 6, look.top + kRowHeight * 2);
    pen.font = `11px ${this.colours.font}`;
  }

  // Nothing is known of this time yet.
  unloaded(row: Row, width: number, top: number): void {
    const { pen } = this;
    pen.fillStyle = css_colour("--sunken");
    pen.globalAlpha = 0.6;
    pen.fillRect(0, top + 3, width, row.height - 7);
    pen.globalAlpha = 1;
  }
}

// The place of the slice at a point, or -1. Narrow ones are found a little beside themselves.
export function slice_at(
  data: SliceLane,
  row: Row,
  y_in_row: number,
  time: number,
  ns_per_px: number,
): number {
  const step = row.open ? kRowHeight : closed_line_height(row);
  const wanted = Math.floor((y_in_row - (row.open ? 1 : 3)) / step);
  const near = 2.5 * ns_per_px;
  let best = -1;
  let best_distance = near;
  for (let i = 0; i < data.n; i++) {
    if (data.row[i] !== wanted) continue;
    const begin = data.start[i]!;
    const end = begin + data.duration[i]!;
    if (time >= begin && time < end) return i;
    const distance = time < begin ? begin - time : time - end;
    if (distance < best_distance) {
      best = i;
      best_distance = distance;
    }
  }
  return best;
}
