// Arrows from what launches to what is launched: of the selected slice, and of all in view if a
// kind is switched on.

import { css_colour } from "../theme/theme";
import { kRowHeight, lane_key, type Row } from "./lane_tree";
import type { PlacedRow } from "./gutter";
import type { TimelineModel } from "./model";
import type { FlowEnd } from "./slice_detail";
import { to_x } from "./viewport";

export interface FlowArrow {
  kind: string;
  from: { p: number; lane: number; row?: number; time: number };
  to: { p: number; lane: number; row?: number; time: number };
}

// The y of a lane's row on the canvas; of what hides it where it is not shown.
function y_of(
  placed: readonly PlacedRow[],
  model: TimelineModel,
  p: number,
  lane: number,
  line: number,
): number | null {
  const key = lane_key(p, lane);
  const own = placed.find(({ row }) => row.key === key);
  if (own)
    return own.top + (own.row.open ? 2 + line * kRowHeight + kRowHeight / 2 : own.row.height / 2);
  const holder = placed.find(
    ({ row }) => row.p === p && row.lanes.some((each) => each.id === lane),
  );
  if (holder) return holder.top + holder.row.height / 2;
  return off_screen(placed, model, key);
}

// Above or below what is on the canvas.
function off_screen(
  placed: readonly PlacedRow[],
  model: TimelineModel,
  key: string,
): number | null {
  const row = model.tree.rows.find((each) => each.key === key);
  const reference = placed.find((each) => model.tree.rows.includes(each.row));
  if (!row || !reference) return null;
  return reference.top + (row.y - reference.row.y) + row.height / 2;
}

function arrow(
  pen: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  const bend = Math.max(24, Math.min(Math.abs(x1 - x0) / 2, 140));
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x1 - 7, y1 - 3.5);
  pen.lineTo(x1 - 7, y1 + 3.5);
  pen.closePath();
  pen.fill();
}

export function arrows_of_selection(model: TimelineModel): FlowArrow[] {
  const { detail } = model;
  if (!detail) return [];
  const own = { p: detail.p, lane: detail.lane_id, row: detail.row };
  return (detail.flows ?? []).map((flow: FlowEnd) => {
    const other = { p: flow.p, lane: flow.lane, row: flow.row ?? 0 };
    if (flow.direction === "out") {
      return {
        kind: flow.kind,
        from: { ...own, time: detail.begin },
        to: { ...other, time: flow.begin },
      };
    }
    return {
      kind: flow.kind,
      from: { ...other, time: flow.begin },
      to: { ...own, time: detail.begin },
    };
  });
}

let background: FlowArrow[] = [];

export function set_background_flows(arrows: FlowArrow[]): void {
  background = arrows;
}

export function draw_flows(
  pen: CanvasRenderingContext2D,
  model: TimelineModel,
  placed: readonly PlacedRow[],
  top: number,
  width: number,
  height: number,
): void {
  pen.save();
  pen.beginPath();
  pen.rect(0, top - model.tree.pinned_height, width, height);
  pen.clip();
  draw_all(pen, model, placed, background, width, 0.35, 1);
  draw_all(pen, model, placed, arrows_of_selection(model), width, 1, 1.6);
  pen.restore();
}

function draw_all(
  pen: CanvasRenderingContext2D,
  model: TimelineModel,
  placed: readonly PlacedRow[],
  arrows: readonly FlowArrow[],
  width: number,
  alpha: number,
  line: number,
): void {
  pen.strokeStyle = pen.fillStyle = css_colour("--mark");
  pen.globalAlpha = alpha;
  pen.lineWidth = line;
  for (const each of arrows) {
    const x0 = to_x(model.clock.to_page(each.from.p, each.from.time), model.view, width);
    const x1 = to_x(model.clock.to_page(each.to.p, each.to.time), model.view, width);
    if ((x0 < -200 && x1 < -200) || (x0 > width + 200 && x1 > width + 200)) continue;
    const y0 = y_of(placed, model, each.from.p, each.from.lane, each.from.row ?? 0);
    const y1 = y_of(placed, model, each.to.p, each.to.lane, each.to.row ?? 0);
    if (y0 !== null && y1 !== null) arrow(pen, x0, y0, x1, y1);
  }
  pen.globalAlpha = 1;
}

export type { Row };
