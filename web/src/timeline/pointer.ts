// The mouse on the timeline: drag selects a range, with alt it zooms there, with shift or the
// middle button it pans; the wheel scrolls, with ctrl it zooms, with shift it pans.

import type { Row } from "./lane_tree";
import type { Hover, TimelineModel } from "./model";
import { slice_at } from "./painter";
import { kRulerHeight } from "./ruler";
import type { Stage } from "./stage";
import { kUnfinished } from "../api/slices";
import { count_of, duration, real } from "../text/numbers";
import { fit, length, limit, to_time, zoom, type Span } from "./viewport";
import { Hint } from "../dom/hint";

interface Drag {
  mode: "range" | "zoom" | "pan";
  x: number;
  y: number;
  time: number;
  view: Span;
  moved: boolean;
}

const kLeastDrag = 4; // px

export class Pointer {
  private drag: Drag | null = null;
  private readonly hint = new Hint();
  private last_zoom = 0;

  constructor(
    private readonly model: TimelineModel,
    private readonly stage: Stage,
    private readonly on_click: (x: number, y: number, twice: boolean) => void,
    private readonly on_mark: (time: number) => void,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("dblclick", (event) =>
      this.on_click(event.offsetX, event.offsetY, true),
    );
    canvas.addEventListener("keydown", () => delete canvas.dataset.mouse);
    canvas.addEventListener("auxclick", (event) => event.preventDefault());
    stage.scroller.addEventListener("scroll", () => this.hint.hide());
    stage.scroller.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  stop(): void {
    this.hint.hide();
  }

  private time_at(x: number): number {
    return to_time(x, this.model.view, this.model.width);
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    event.preventDefault();
    this.stage.canvas.dataset.mouse = "";
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.setPointerCapture(event.pointerId);
    const mode = event.button === 1 || event.shiftKey ? "pan" : event.altKey ? "zoom" : "range";
    const { offsetX: x, offsetY: y } = event;
    this.drag = { mode, x, y, time: this.time_at(x), view: this.model.view, moved: false };
    this.hint.hide();
  }

  private move(event: PointerEvent): void {
    const { offsetX: x, offsetY: y } = event;
    this.stage.pointer_time = this.time_at(x);
    const { drag } = this;
    if (!drag) {
      this.hover(x, y, event);
      return;
    }
    drag.moved ||=
      Math.abs(x - drag.x) > kLeastDrag ||
      (drag.mode !== "pan" && Math.abs(y - drag.y) > 3 * kLeastDrag);
    if (!drag.moved) return;
    if (drag.mode === "pan") this.pan_to(drag, x, event);
    else this.draw_range(drag, x, y);
    this.stage.redraw();
  }

  private pan_to(drag: Drag, x: number, event: PointerEvent): void {
    const by = ((drag.x - x) / this.model.width) * length(drag.view);
    this.model.show(
      limit({ begin: drag.view.begin + by, end: drag.view.end + by }, this.model.whole),
    );
    this.stage.scroller.scrollTop -= event.movementY;
  }

  private draw_range(drag: Drag, x: number, y: number): void {
    const now = this.time_at(Math.max(0, Math.min(x, this.model.width)));
    const range = { begin: Math.min(drag.time, now), end: Math.max(drag.time, now) };
    const lanes = drag.y < kRulerHeight ? [] : this.stage.lanes_between(drag.y, y);
    this.stage.dragged = { range, lanes };
  }

  private up(event: PointerEvent): void {
    const { drag } = this;
    const drawn = this.stage.dragged;
    this.cancel();
    if (!drag) return;
    if (!drag.moved) {
      if (drag.mode !== "pan") this.click(event, drag);
    } else if (drag.mode === "zoom" && drawn) {
      this.model.show(fit(drawn.range, this.model.whole, 0), true);
    } else if (drag.mode === "range" && drawn) {
      this.model.set_range(drawn.range, drawn.lanes);
    } else if (drag.mode === "pan") {
      this.model.emit("view");
    }
    this.stage.redraw();
  }

  private click(event: PointerEvent, drag: Drag): void {
    if (drag.y < kRulerHeight) this.on_mark(drag.time);
    else this.on_click(event.offsetX, event.offsetY, false);
  }

  private cancel(): void {
    this.drag = null;
    this.stage.dragged = null;
  }

  private leave(): void {
    this.stage.pointer_time = null;
    this.model.hover = null;
    this.hint.hide();
    this.model.emit("hover");
  }

  private wheel(event: WheelEvent): void {
    const { model } = this;
    const pixels = event.deltaMode === 1 ? 24 : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const box = this.stage.canvas.getBoundingClientRect();
      const at = Math.max(0, Math.min(1, (event.clientX - box.left) / model.width));
      // One undo for a whole turn of the wheel.
      const now = performance.now();
      if (now - this.last_zoom > 700) model.remember();
      this.last_zoom = now;
      model.show(zoom(model.view, Math.exp((-event.deltaY * pixels) / 260), at, model.whole));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const by = ((event.deltaX || event.deltaY) * pixels * length(model.view)) / model.width;
      model.show(limit({ begin: model.view.begin + by, end: model.view.end + by }, model.whole));
    }
  }

  private hover(x: number, y: number, event: PointerEvent): void {
    const hover = this.hovered(x, y);
    this.model.hover = hover;
    if (hover && hover.text.length > 0) this.hint.show(hover.text, event.clientX, event.clientY);
    else this.hint.hide();
    this.stage.canvas.style.cursor = hover && hover.name ? "pointer" : "default";
    this.stage.redraw();
  }

  private gap_text(row: Row, time: number): string[] {
    const idle = this.model.idle_lane(row);
    const profile = this.model.profile(row.p);
    const data = idle && profile?.data.get(idle.id);
    if (data?.kind !== "slices") return [];
    for (let i = 0; i < data.n; i++) {
      if (time < data.start[i]! || time >= data.start[i]! + data.duration[i]!) continue;
      return [
        `Idle: ${profile!.paints.get(data.name[i]!).name}`,
        duration(data.duration[i]!),
        "Click: why; double click: to the culprit",
      ];
    }
    return [];
  }

  // What is under a point.
  hovered(x: number, y: number): Hover | null {
    const placed = this.stage.row_at(y);
    if (!placed || placed.row.kind !== "lane" || y < kRulerHeight) return null;
    const { row, top } = placed;
    const time = this.time_at(x);
    const profile = this.model.profile(row.p);
    const data = profile?.data.get(row.lane!.id);
    if (!profile || !data) return null;
    const own_time = this.model.clock.to_profile(row.p, time);
    const base = { row, p: row.p, time };
    if (data.kind === "counter") {
      const text = counter_text(data, own_time, row.lane!.series ?? [], row.lane!.unit ?? "");
      return { ...base, name: "", name_id: -1, text };
    }
    const i = slice_at(data, row, y - top, own_time, length(this.model.view) / this.model.width);
    if (i < 0)
      return {
        ...base,
        name: "",
        name_id: -1,
        text: [...this.gap_text(row, own_time), ...(row.lane!.hatched ? [row.lane!.hatched] : [])],
      };
    const paint = profile.paints.get(data.name[i]!);
    const text = [paint.name, duration(data.duration[i]!)];
    if (data.count[i]! > 1)
      text[1] = `${count_of(data.count[i]!, "slice")} in ${duration(data.duration[i]!)}, the longest named here`;
    if (data.flags[i]! & kUnfinished) text.push("Its end was not recorded.");
    return { ...base, name: paint.name, name_id: data.name[i]!, text };
  }
}

function counter_text(
  data: import("../api/slices").CounterLane,
  time: number,
  series: readonly string[],
  unit: string,
): string[] {
  let i = -1;
  for (let k = 0; k < data.n && data.time[k]! <= time; k++) i = k;
  if (i < 0) return [];
  return Array.from({ length: data.series }, (_, k) => {
    const place = i * data.series + k;
    const low = data.min[place]!;
    const high = data.max[place]!;
    const value = low === high ? real(high) : `${real(low)} to ${real(high)}`;
    return `${series[k] ? `${series[k]}: ` : ""}${value}${unit ? ` ${unit}` : ""}`;
  });
}
