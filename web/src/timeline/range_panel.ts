// Statistics of a selected range: union and sum, by name and by type.

import type { Column, Place, Table } from "../api/types";
import { h, type Child } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { count_of, duration, exact_duration, share } from "../text/numbers";
import { category_label } from "../theme/palette";
import { failure, tab_buttons } from "../views/parts";
import type { TimelineModel } from "./model";
import { length } from "./viewport";

interface NameRow {
  name: string;
  count: number;
  union: number;
  sum: number;
  self: number;
  mean: number;
  min: number;
  max: number;
  longest?: { lane: number; event: number } | null;
}

interface RangeReply {
  union: number;
  sum: number;
  slices: number;
  by_name: NameRow[];
  by_category: { category?: string; name?: string; count: number; union: number; sum: number }[];
  counters?: { lane: number; series: string; min: number; max: number; mean: number }[];
}

const kNameColumns: Column[] = [
  { key: "name", title: "Name", kind: "text" },
  { key: "count", title: "Count", kind: "integer" },
  { key: "union", title: "Union", kind: "duration" },
  { key: "sum", title: "Sum", kind: "duration" },
  { key: "self", title: "Self", kind: "duration" },
  { key: "mean", title: "Mean", kind: "duration" },
  { key: "min", title: "Min", kind: "duration" },
  { key: "max", title: "Max", kind: "duration" },
];

const kTypeColumns: Column[] = [
  { key: "type", title: "Type", kind: "text" },
  { key: "count", title: "Count", kind: "integer" },
  { key: "union", title: "Union", kind: "duration" },
  { key: "of_range", title: "Of the range", kind: "share" },
  { key: "sum", title: "Sum", kind: "duration" },
];

function table(
  name: string,
  title: string,
  columns: Column[],
  rows: Table["rows"],
  places: (Place | null)[] = [],
): Table {
  return { name, title, notes: [], usual_rows: 0, columns, rows, total_rows: rows.length, places };
}

function names_table(p: number, reply: RangeReply): Table {
  const rows = reply.by_name.map((row) => [
    row.name,
    row.count,
    row.union,
    row.sum,
    row.self,
    row.mean,
    row.min,
    row.max,
  ]);
  const places = reply.by_name.map((row): Place | null => {
    return row.longest ? [p, row.longest.lane, row.longest.event] : null;
  });
  return table("range_names", "By name", kNameColumns, rows, places);
}

function types_table(reply: RangeReply, range: number, device_kind?: string): Table {
  const rows = reply.by_category.map((row) => [
    category_label(row.category ?? row.name ?? "other", device_kind),
    row.count,
    row.union,
    range > 0 ? row.union / range : null,
    row.sum,
  ]);
  return table("range_types", "By type", kTypeColumns, rows);
}

function counters_table(reply: RangeReply): Table | null {
  if (!reply.counters || reply.counters.length === 0) return null;
  const columns: Column[] = [
    { key: "series", title: "Samples", kind: "text" },
    { key: "min", title: "Min", kind: "real" },
    { key: "mean", title: "Mean", kind: "real" },
    { key: "max", title: "Max", kind: "real" },
  ];
  return table(
    "range_counters",
    "Samples",
    columns,
    reply.counters.map((row) => [row.series, row.min, row.mean, row.max]),
  );
}

async function section_of(
  model: TimelineModel,
  p: number,
  lanes: number[],
  by: string,
): Promise<Child> {
  const range = model.range!;
  const parameters = {
    p,
    t0: Math.floor(model.clock.to_profile(p, range.begin)),
    t1: Math.ceil(model.clock.to_profile(p, range.end)),
    lanes: lanes.join(","),
  };
  const reply = (await model.context.source.json("range", parameters)) as RangeReply;
  const shown =
    by === "type"
      ? types_table(reply, length(range), model.profile(p)?.profile.device_kind)
      : by === "samples"
        ? counters_table(reply)
        : names_table(p, reply);
  const title = model.profiles.length > 1 ? `${model.context.profiles.label(p)}: ` : "";
  const sums = `${title}${count_of(reply.slices, "slice")} · busy ${duration(reply.union)} (${share(reply.union / Math.max(length(range), 1))} of the range) · sum ${duration(reply.sum)}`;
  return h(
    "div",
    { class: "range-section" },
    h(
      "p",
      {
        class: "range-sums",
        title: `union ${exact_duration(reply.union)}, sum ${exact_duration(reply.sum)}`,
      },
      sums,
    ),
    shown
      ? new TableBlock(model.context, shown, {
          on_pick: (_, place) =>
            place && void model.select({ p: place[0], lane: place[1], event: place[2] }),
        }).element
      : h("p", { class: "busy" }, "No samples in the range."),
  );
}

export class RangePanel {
  readonly element = h("div", { class: "range-panel" });
  private by = "name";
  private generation = 0;

  constructor(private readonly model: TimelineModel) {}

  async show(): Promise<void> {
    const generation = ++this.generation;
    const { model } = this;
    const range = model.range;
    if (!range) {
      this.element.replaceChildren(
        h("div", { class: "busy" }, "Drag over lanes, or press r on a slice, to select a range."),
      );
      return;
    }
    const tabs = [
      { name: "name", title: "By name" },
      { name: "type", title: "By type" },
      { name: "samples", title: "Samples" },
    ];
    const head = h(
      "div",
      { class: "bar" },
      h("h2", {}, `Range of ${duration(length(range))}`),
      h(
        "span",
        { class: "faint", title: exact_duration(range.begin) },
        `from ${duration(range.begin)}`,
      ),
      h("span", { class: "spring" }),
      tab_buttons("Add up", tabs, this.by, (by) => {
        this.by = by;
        void this.show();
      }),
    );
    const lanes = [...model.range_lanes()];
    const sections = await Promise.all(
      lanes.map(([p, ids]) =>
        section_of(model, p, ids, this.by).catch((error: unknown) => failure(error, true)),
      ),
    );
    if (generation !== this.generation) return;
    this.element.replaceChildren(head);
    const body = h("div", { class: lanes.length > 1 ? "range-many" : "range-one" });
    body.append(...(sections.filter(Boolean) as Node[]));
    this.element.append(body);
  }
}
