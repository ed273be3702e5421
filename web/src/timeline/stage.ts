// The canvas with the lanes and the ruler, scrolled natively; draws when something changed.

import { h } from "../dom/element";
import { is_dark } from "../theme/theme";
import { css_colour } from "../theme/theme";
import { Gutter, type PlacedRow } from "./gutter";
import { draw_flows } from "./flows";
import { kGapHeight, kHeaderHeight, parse_lane_key, rows_between, type Row } from "./lane_tree";
import type { TimelineModel } from "./model";
import { Painter, type LaneLook } from "./painter";
import { draw_moments, draw_range, draw_ruler, kRulerHeight, type RulerContent } from "./ruler";
import { to_x, type Span } from "./viewport";

export const kGutterWidth = 264;
const kMostStrips = 10; // Lanes that the picture of a closed group shows.

export class Stage {
  readonly canvas = h("canvas", {
    class: "tl-canvas",
    tabindex: 0,
    role: "application",
    "aria-label":
      "Timeline. Arrows move between slices and lanes, w and s zoom, a and d pan, question mark lists all keys.",
  });
  readonly scroller: HTMLElement;
  readonly gutter: Gutter;
  readonly element: HTMLElement;
  pointer_time: number | null = null;
  dragged: { range: Span; lanes: string[] } | null = null; // While a range is drawn.
  private readonly sticky: HTMLElement;
  private readonly space = h("div", { class: "tl-space" });
  private readonly painter: Painter;
  private readonly pen: CanvasRenderingContext2D;
  private frame = 0;
  private height = 600;
  private hover_name = -1;

  constructor(
    private readonly model: TimelineModel,
    on_table: (row: Row) => void,
  ) {
    this.gutter = new Gutter(model, on_table);
    this.sticky = h("div", { class: "tl-sticky" }, this.gutter.element, this.canvas);
    this.scroller = h(
      "div",
      { class: "tl-scroll", onscroll: () => this.redraw() },
      this.sticky,
      this.space,
    );
    this.element = this.scroller;
    const pen = this.canvas.getContext("2d", { alpha: false });
    if (!pen) throw new Error("This browser has no canvas.");
    this.pen = pen;
    this.painter = new Painter(pen, is_dark());
    new ResizeObserver(() => this.resize()).observe(this.scroller);
  }

  get width(): number {
    return this.model.width;
  }

  get pinned_bottom(): number {
    return kRulerHeight + this.model.tree.pinned_height;
  }

  new_theme(): void {
    this.painter.set_theme(is_dark());
    this.redraw();
  }

  redraw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.scroller;
    if (clientWidth === 0) return;
    const ratio = devicePixelRatio || 1;
    this.model.width = Math.max(clientWidth - kGutterWidth, 100);
    this.height = clientHeight;
    this.canvas.width = Math.round(this.model.width * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.canvas.style.width = `${this.model.width}px`;
    this.canvas.style.height = `${clientHeight}px`;
    this.sticky.style.height = `${clientHeight}px`;
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.fit_space();
    this.model.emit("view");
  }

  fit_space(): void {
    const { tree } = this.model;
    this.space.style.height = `${Math.max(0, tree.height + this.pinned_bottom + 40 - this.height)}px`;
  }

  // Rows that are on the canvas now, with their y there.
  placed_rows(): PlacedRow[] {
    const { tree } = this.model;
    const { scrollTop } = this.scroller;
    const from = this.pinned_bottom;
    const rows = rows_between(tree.rows, scrollTop, scrollTop + this.height - from);
    return [
      ...tree.pinned.map((row) => ({ row, top: kRulerHeight + row.y })),
      ...rows.map((row) => ({ row, top: from + row.y - scrollTop })),
    ];
  }

  // The row under a point of the canvas; pinned ones are above the others.
  row_at(y: number): PlacedRow | undefined {
    const placed = this.placed_rows();
    const pinned = placed.slice(0, this.model.tree.pinned.length);
    const hit = (each: PlacedRow) => y >= each.top && y < each.top + each.row.height;
    if (y < this.pinned_bottom) return pinned.find(hit);
    return placed.slice(pinned.length).find(hit);
  }

  // Scrolls so that a row, or the line of a slice in it, is seen.
  reveal_row(row: Row, line = 0): void {
    if (this.model.tree.pinned.includes(row)) return;
    const room = this.height - this.pinned_bottom;
    const top = row.y + line;
    const { scrollTop } = this.scroller;
    if (top < scrollTop + 4 || top + 30 > scrollTop + room) {
      this.scroller.scrollTop = Math.max(0, top - room / 3);
    }
  }

  private request(placed: readonly PlacedRow[]): void {
    const lanes = new Map<number, Set<number>>();
    for (const { row } of placed) {
      let set = lanes.get(row.p);
      if (!set) lanes.set(row.p, (set = new Set()));
      for (const lane of row.lanes.slice(0, row.kind === "lane" ? 1 : kMostStrips))
        set.add(lane.id);
      const idle = this.model.idle_lane(row);
      if (idle) set.add(idle.id);
    }
    for (const [p, set] of lanes) {
      const profile = this.model.profile(p);
      profile?.data.want([...set], this.view_of(p), Math.round(this.width));
    }
  }

  view_of(p: number): Span {
    const { clock, view } = this.model;
    return { begin: clock.to_profile(p, view.begin), end: clock.to_profile(p, view.end) };
  }

  private draw(): void {
    const placed = this.placed_rows();
    this.request(placed);
    this.hover_name = this.model.hover?.name_id ?? -1;
    const { pen, painter, width, height } = this;
    painter.begin(width, height);
    const count = this.model.tree.pinned.length;
    this.draw_rows(placed.slice(count), this.pinned_bottom);
    if (count > 0) {
      pen.fillStyle = css_colour("--back");
      pen.fillRect(0, kRulerHeight, width, this.model.tree.pinned_height);
      this.draw_rows(placed.slice(0, count), kRulerHeight);
      pen.fillStyle = css_colour("--line-strong");
      pen.fillRect(0, this.pinned_bottom - 1, width, 1);
    }
    this.draw_selection_shade(placed);
    draw_flows(pen, this.model, placed, this.pinned_bottom, width, height);
    const content = this.ruler_content();
    draw_ruler(pen, content);
    draw_moments(pen, content, height);
    if (content.range) draw_range(pen, content.range, content);
    this.gutter.draw(placed, this.pinned_bottom);
  }

  private ruler_content(): RulerContent {
    const { model, width } = this;
    const first = model.profiles[0];
    const steps = (first?.profile.steps ?? []).map((step) => ({
      number: step.number,
      begin: model.clock.to_page(first!.p, step.begin),
      end: model.clock.to_page(first!.p, step.end),
    }));
    const range = this.dragged?.range ?? model.range;
    return {
      view: model.view,
      width,
      steps,
      marks: model.context.store.state.marks,
      range,
      pointer: this.pointer_time,
    };
  }

  private draw_rows(placed: readonly PlacedRow[], top: number): void {
    const { pen, width, height } = this;
    pen.save();
    pen.beginPath();
    pen.rect(0, top, width, height - top);
    pen.clip();
    for (const each of placed) this.draw_row(each);
    pen.restore();
  }

  private draw_row({ row, top }: PlacedRow): void {
    const { painter, width } = this;
    const profile = this.model.profile(row.p);
    if (!profile) return;
    if (row.kind !== "lane") {
      painter.header_back(row, width, top);
      if (!row.open) this.draw_strips(row, top);
      return;
    }
    painter.lane_back(row, width, top, Boolean(row.lane!.hatched));
    this.draw_gaps(row, top);
    const data = profile.data.get(row.lane!.id);
    if (!data) painter.unloaded(row, width, top);
    else if (data.kind === "counter") painter.counter(data, row, this.look(row, top));
    else painter.slices(data, row, this.look(row, top));
  }

  // Time in which the whole device does nothing, by cause, at the foot of its streams.
  private draw_gaps(row: Row, top: number): void {
    const idle = this.model.idle_lane(row);
    const data = idle && this.model.profile(row.p)?.data.get(idle.id);
    if (data?.kind !== "slices") return;
    const look = { ...this.look(row, top), selected_event: -1, gaps: true };
    this.painter.strip(data, look, top + row.height - kGapHeight - 2, kGapHeight);
  }

  private draw_strips(row: Row, top: number): void {
    const lanes = row.lanes.slice(0, kMostStrips);
    const profile = this.model.profile(row.p);
    if (!profile || lanes.length === 0) return;
    const step = (kHeaderHeight - 6) / lanes.length;
    lanes.forEach((lane, i) => {
      const data = profile.data.get(lane.id);
      const look = this.look(row, top);
      if (data?.kind === "slices")
        this.painter.strip(data, look, top + 3 + i * step, Math.max(step - 0.5, 1));
      else if (data?.kind === "counter") {
        const strip = { ...row, lane, height: step + 8, open: false };
        this.painter.counter(data, strip, { ...look, top: top + 3 + i * step - 4 });
      }
    });
  }

  private look(row: Row, top: number): LaneLook {
    const { model, width } = this;
    const profile = model.profile(row.p)!;
    const view = this.view_of(row.p);
    const { lit, selected, hover } = model;
    const { paints } = profile;
    const matches = lit
      ? (name: number) => {
          const paint = paints.get(name);
          return lit.matches(paint.lower, paint.name);
        }
      : null;
    const lane = row.lane?.id ?? -1;
    return {
      view,
      width,
      top,
      paints,
      lit: matches,
      hovered_name: hover && hover.p === row.p ? this.hover_name : -1,
      selected_event:
        selected && selected.p === row.p && selected.lane === lane ? selected.event : -1,
      gaps: row.lane?.kind === "idle",
      stale: lane >= 0 && profile.data.is_stale(lane, view, Math.round(width)),
    };
  }

  private draw_selection_shade(placed: readonly PlacedRow[]): void {
    const { pen, model, width } = this;
    const range = this.dragged?.range ?? model.range;
    if (!range) return;
    const keys = new Set(this.dragged?.lanes ?? model.context.store.state.range_lanes);
    const x0 = Math.max(to_x(range.begin, model.view, width), 0);
    const x1 = Math.min(to_x(range.end, model.view, width), width);
    if (x1 <= 0 || x0 >= width) return;
    pen.fillStyle = css_colour("--select-back");
    pen.save();
    pen.beginPath();
    pen.rect(0, kRulerHeight, width, this.height);
    pen.clip();
    for (const { row, top } of placed) {
      if (row.kind === "lane" && (keys.size === 0 || keys.has(row.key)))
        pen.fillRect(x0, top, Math.max(x1 - x0, 1), row.height);
    }
    pen.restore();
    pen.fillStyle = css_colour("--select");
    pen.fillRect(x0, kRulerHeight, 1, this.height);
    pen.fillRect(x1, kRulerHeight, 1, this.height);
  }

  // Lanes between two heights of the canvas.
  lanes_between(y0: number, y1: number): string[] {
    const low = Math.min(y0, y1);
    const high = Math.max(y0, y1);
    return this.placed_rows()
      .filter(({ row, top }) => top < high && top + row.height > low)
      .flatMap(({ row }) =>
        row.kind === "lane" ? [row.key] : row.lanes.map((lane) => `${row.p}.${lane.id}`),
      )
      .filter((key) => parse_lane_key(key) !== null);
  }
}
