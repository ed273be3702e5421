// What keys do on the timeline.

import type { SliceId } from "../state/url";
import { lane_key, type Row } from "./lane_tree";
import type { TimelineModel } from "./model";
import type { Stage } from "./stage";
import { fit, kPanStep, kZoomStep, length, pan, to_x, zoom } from "./viewport";

export type Actions = Record<string, () => void>;

export interface Panel {
  toggle(): void;
  show(name: string): void;
}

export function timeline_actions(model: TimelineModel, stage: Stage, panel: Panel): Actions {
  const at = () => {
    const x =
      stage.pointer_time === null
        ? model.width / 2
        : to_x(stage.pointer_time, model.view, model.width);
    return Math.max(0, Math.min(1, x / model.width));
  };
  const zoom_by = (factor: number) => () => model.show(zoom(model.view, factor, at(), model.whole));
  const pan_by = (share: number) => () => model.show(pan(model.view, share, model.whole));
  const scroll = (share: number) => () =>
    stage.scroller.scrollBy({ top: stage.scroller.clientHeight * share });
  return {
    zoom_in: zoom_by(kZoomStep),
    zoom_out: zoom_by(1 / kZoomStep),
    zoom_in_fast: zoom_by(kZoomStep ** 3),
    zoom_out_fast: zoom_by(1 / kZoomStep ** 3),
    pan_left: pan_by(-kPanStep),
    pan_right: pan_by(kPanStep),
    pan_left_fast: pan_by(-kPanStep * 4),
    pan_right_fast: pan_by(kPanStep * 4),
    page_up: scroll(-0.8),
    page_down: scroll(0.8),
    fit: () => fit_selection(model),
    reset: () => model.reset(),
    back: () => model.back(),
    next: () => void neighbour(model, "next"),
    previous: () => void neighbour(model, "previous"),
    lane_up: () => void other_lane(model, stage, -1),
    lane_down: () => void other_lane(model, stage, 1),
    flow_next: () => along_flow(model, "out"),
    flow_previous: () => along_flow(model, "in"),
    slice_range: () => {
      if (!model.detail) return;
      model.set_range(model.slice_span(model.detail));
      panel.show("range");
    },
    clear: () => {
      if (model.range) model.set_range(null);
      else void model.select(null);
    },
    mark_range: () => mark(model, stage, true),
    mark_moment: () => mark(model, stage, false),
    align_starts: () => align(model, "begin"),
    align_ends: () => align(model, "end"),
    panel: () => panel.toggle(),
  };
}

function fit_selection(model: TimelineModel): void {
  const span = model.detail ? model.slice_span(model.detail) : model.range;
  if (span) model.show(fit(span, model.whole, 0.4), true);
}

async function neighbour(model: TimelineModel, which: "next" | "previous"): Promise<void> {
  const { detail } = model;
  const to = detail?.[which];
  if (detail && to) await model.go_to([detail.p, to.lane ?? detail.lane_id, to.event]);
}

// The first flow of the slice in a direction; from a slice without any, nothing.
function along_flow(model: TimelineModel, direction: "in" | "out"): void {
  const flow = model.detail?.flows?.find((each) => each.direction === direction);
  if (flow) void model.go_to([flow.p, flow.lane, flow.event]);
}

// Up and down: the line above or below in the lane, then the next lane, at the same time.
async function other_lane(model: TimelineModel, stage: Stage, by: 1 | -1): Promise<void> {
  const { detail, tree } = model;
  const lanes = tree.rows.filter((row) => row.kind === "lane" && row.lane!.kind !== "counter");
  if (!detail) {
    const first = lanes[by > 0 ? 0 : lanes.length - 1];
    if (first) await select_at(model, stage, first, 0, (model.view.begin + model.view.end) / 2);
    return;
  }
  const time = model.clock.to_page(detail.p, (detail.begin + detail.end) / 2);
  const place = lanes.findIndex((row) => row.key === lane_key(detail.p, detail.lane_id));
  const own = lanes[place];
  const line = detail.row + by;
  if (own && line >= 0 && line < own.lane!.rows && (await select_at(model, stage, own, line, time)))
    return;
  for (let i = place + by; i >= 0 && i < lanes.length; i += by) {
    const lane = lanes[i]!;
    if (await select_at(model, stage, lane, by > 0 ? 0 : lane.lane!.rows - 1, time)) return;
  }
}

interface AtReply {
  slice: { lane: number; event: number; row: number } | null;
}

// The slice of a line at a time, or the nearest before or after it.
async function select_at(
  model: TimelineModel,
  stage: Stage,
  row: Row,
  line: number,
  time: number,
): Promise<boolean> {
  const t = Math.round(model.clock.to_profile(row.p, time));
  const within = Math.round(length(model.view) / 10);
  const found = (await model.context.source
    .json("at", { p: row.p, lane: row.lane!.id, row: line, t, within })
    .catch(() => null)) as AtReply | null;
  if (!found?.slice) return false;
  const slice: SliceId = { p: row.p, lane: row.lane!.id, event: found.slice.event };
  await model.select(slice);
  stage.reveal_row(row, 0);
  return true;
}

function mark(model: TimelineModel, stage: Stage, of_range: boolean): void {
  const { store } = model.context;
  const range = model.range ?? (model.detail ? model.slice_span(model.detail) : null);
  if (of_range && range) {
    store.set({ marks: [...store.state.marks, { ...range, name: "" }] });
  } else if (!of_range) {
    const time =
      stage.pointer_time ??
      (model.detail
        ? model.slice_span(model.detail).begin
        : (model.view.begin + model.view.end) / 2);
    store.set({ marks: [...store.state.marks, { begin: time, end: time, name: "" }] });
  }
  stage.redraw();
}

// The slices that are the same on other ranks start, or end, with the selected one.
function align(model: TimelineModel, edge: "begin" | "end"): void {
  const { detail, context, clock } = model;
  if (!detail) return;
  const offsets = { ...context.store.state.offsets };
  const wanted = clock.to_page(detail.p, detail[edge]);
  let moved = 0;
  for (const other of detail.same_on_other_ranks ?? []) {
    const time = other[edge];
    if (time === undefined || !model.profile(other.p)) continue;
    offsets[other.p] = Math.round((offsets[other.p] ?? 0) + wanted - clock.to_page(other.p, time));
    moved++;
  }
  if (moved === 0) {
    context.toast("No other rank that is shown has this slice.");
    return;
  }
  context.store.set({ offsets });
  model.rebuild();
}

export function is_in_view(model: TimelineModel, share = 0): boolean {
  return length(model.view) > share;
}
