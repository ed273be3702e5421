// The whole time in a strip: what the device does, hits of the search, marks, and the part in view.

import { h } from "../dom/element";
import { css_colour, is_dark } from "../theme/theme";
import { category_paint } from "../theme/palette";
import { LaneDataStore } from "./lane_data";
import { series_counter, type TimelineModel } from "./model";
import { PaintCache, kBusySteps } from "./paints";
import type { SearchBar } from "./search_bar";
import { kMapBuckets } from "./search_bar";
import { length, limit, to_time, to_x, type Span } from "./viewport";
import type { Lane } from "../api/types";

const kHeight = 40;
const kMostLanes = 3;

// The lanes that tell most in little room: computing, communication and free time; else the fullest.
function telling_lanes(
  groups: readonly { name: string; is_host: boolean; lanes: Lane[] }[],
): Lane[] {
  const overlap = groups.find((group) => /overlap/i.test(group.name));
  if (overlap)
    return overlap.lanes
      .slice(0, 4)
      .filter((lane) => !/not overlapped/i.test(lane.name))
      .slice(0, kMostLanes);
  const lanes = groups.flatMap((group) =>
    group.lanes
      .filter((lane) => lane.kind === "slices")
      .map((lane) => ({ lane, host: group.is_host })),
  );
  lanes.sort((a, b) => Number(a.host) - Number(b.host) || b.lane.count - a.lane.count);
  return lanes.slice(0, kMostLanes).map(({ lane }) => lane);
}

export class MiniMap {
  readonly canvas = h("canvas", {
    class: "tl-mini",
    role: "img",
    "aria-label": "The whole time, with the part in view",
  });
  private data: LaneDataStore | null = null;
  private data_p = -1;
  private lanes: Lane[] = [];
  private frame = 0;
  private grab: { offset: number } | null = null;
  // The lanes as they were drawn: they change when data or theme does, not with the view.
  private readonly picture = document.createElement("canvas");
  private picture_key = "";
  private data_version = 0;

  constructor(
    private readonly model: TimelineModel,
    private readonly search: SearchBar,
  ) {
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.grab && this.move(event));
    this.canvas.addEventListener("pointerup", () => (this.grab = null));
  }

  redraw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private prepare(): void {
    const first = this.model.profiles[0];
    if (!first || this.data_p === first.p) return;
    this.data_p = first.p;
    this.lanes = telling_lanes(first.groups);
    const { source, profiles } = this.model.context;
    this.data = new LaneDataStore(
      source,
      first.p,
      profiles.names(first.p),
      series_counter(first.groups),
      () => {
        this.data_version++;
        this.redraw();
      },
    );
  }

  private own(span: Span): Span {
    const { clock } = this.model;
    return {
      begin: clock.to_profile(this.data_p, span.begin),
      end: clock.to_profile(this.data_p, span.end),
    };
  }

  private draw(): void {
    this.prepare();
    const { clientWidth: width } = this.canvas;
    if (width === 0 || !this.data) return;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(kHeight * ratio);
    const pen = this.canvas.getContext("2d", { alpha: false });
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw_picture(width, ratio);
    pen.drawImage(this.picture, 0, 0, width, kHeight);
    this.draw_hits(pen, width);
    this.draw_view(pen, width);
  }

  private draw_picture(width: number, ratio: number): void {
    const { whole } = this.model;
    const key = [
      width,
      ratio,
      whole.begin,
      whole.end,
      is_dark(),
      this.data_p,
      this.data_version,
    ].join();
    this.data!.want(
      this.lanes.map((lane) => lane.id),
      this.own(whole),
      Math.round(width),
    );
    if (key === this.picture_key) return;
    this.picture_key = key;
    this.picture.width = Math.round(width * ratio);
    this.picture.height = Math.round(kHeight * ratio);
    const pen = this.picture.getContext("2d", { alpha: false });
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = css_colour("--back");
    pen.fillRect(0, 0, width, kHeight);
    this.draw_lanes(pen, width);
  }

  private draw_lanes(pen: CanvasRenderingContext2D, width: number): void {
    const { whole } = this.model;
    const view = this.own(whole);
    const paints: PaintCache = this.model.profiles[0]!.paints;
    const step = (kHeight - 10) / Math.max(this.lanes.length, 1);
    const scale = width / length(view);
    this.lanes.forEach((lane, place) => {
      const data = this.data!.get(lane.id);
      if (data?.kind !== "slices") return;
      for (let i = 0; i < data.n; i++) {
        const paint = paints.get(data.name[i]!);
        pen.fillStyle =
          paint.fills[Math.round((data.busy[i]! / 255) * (kBusySteps - 1))] ??
          paint.fills[kBusySteps - 1]!;
        const x = (data.start[i]! - view.begin) * scale;
        pen.fillRect(x, 5 + place * step, Math.max(data.duration[i]! * scale, 0.7), step - 1.5);
      }
    });
  }

  private draw_hits(pen: CanvasRenderingContext2D, width: number): void {
    const map = this.search.replies.find(({ p }) => p === this.data_p)?.reply.map;
    if (map) {
      pen.fillStyle = css_colour("--bad");
      const all = new Map<number, number>();
      for (const { buckets } of map)
        buckets.forEach((count, i) => count > 0 && all.set(i, (all.get(i) ?? 0) + count));
      const buckets = Math.max(...map.map((each) => each.buckets.length), kMapBuckets);
      for (const i of all.keys()) pen.fillRect((i / buckets) * width, kHeight - 5, 2, 5);
    }
    pen.fillStyle = category_paint("mark", is_dark()).fill;
    for (const mark of this.model.context.store.state.marks) {
      pen.fillRect(to_x(mark.begin, this.model.whole, width) - 1, 0, 2, 5);
    }
  }

  private draw_view(pen: CanvasRenderingContext2D, width: number): void {
    const { view, whole } = this.model;
    const x0 = to_x(view.begin, whole, width);
    const x1 = Math.max(to_x(view.end, whole, width), x0 + 3);
    pen.fillStyle = is_dark() ? "rgba(10,12,15,0.6)" : "rgba(120,132,145,0.28)";
    pen.fillRect(0, 0, Math.max(x0, 0), kHeight);
    pen.fillRect(x1, 0, width - x1, kHeight);
    pen.strokeStyle = css_colour("--select");
    pen.lineWidth = 1.5;
    pen.strokeRect(
      Math.max(x0, 0) + 0.5,
      0.75,
      Math.min(x1, width) - Math.max(x0, 0) - 1,
      kHeight - 1.5,
    );
    pen.fillStyle = css_colour("--line");
    pen.fillRect(0, kHeight - 1, width, 1);
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    const { view, whole } = this.model;
    const time = to_time(event.offsetX, whole, this.canvas.clientWidth);
    this.model.remember();
    const inside = time >= view.begin && time <= view.end;
    this.grab = { offset: inside ? time - view.begin : length(view) / 2 };
    this.move(event);
  }

  private move(event: PointerEvent): void {
    const { view, whole } = this.model;
    const begin = to_time(event.offsetX, whole, this.canvas.clientWidth) - this.grab!.offset;
    this.model.show(limit({ begin, end: begin + length(view) }, whole));
  }
}
