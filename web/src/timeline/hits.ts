// From a point of the canvas to a slice.

import type { SliceId } from "../state/url";
import type { Row } from "./lane_tree";
import type { TimelineModel } from "./model";
import { slice_at } from "./painter";
import type { Stage } from "./stage";
import { length, to_time } from "./viewport";

// Beside the slices of a stream: why its device did nothing then.
function gap_at(model: TimelineModel, row: Row, time: number): SliceId | null {
  const idle = model.idle_lane(row);
  const data = idle && model.profile(row.p)?.data.get(idle.id);
  if (!idle || data?.kind !== "slices") return null;
  for (let i = 0; i < data.n; i++) {
    if (time >= data.start[i]! && time < data.start[i]! + data.duration[i]!)
      return { p: row.p, lane: idle.id, event: data.event[i]! };
  }
  return null;
}

// null: nothing is there; undefined: not a lane of slices, the selection stays.
export async function hit_select(
  model: TimelineModel,
  stage: Stage,
  x: number,
  y: number,
): Promise<SliceId | null | undefined> {
  const placed = stage.row_at(y);
  if (!placed) return null;
  const { row, top } = placed;
  if (row.kind !== "lane") {
    model.toggle_open(row.key);
    return undefined;
  }
  const data = model.profile(row.p)?.data.get(row.lane!.id);
  if (data?.kind !== "slices") return undefined;
  const time = model.clock.to_profile(row.p, to_time(x, model.view, model.width));
  const i = slice_at(data, row, y - top, time, length(model.view) / model.width);
  if (i < 0) return gap_at(model, row, time);
  return { p: row.p, lane: row.lane!.id, event: data.event[i]! };
}
