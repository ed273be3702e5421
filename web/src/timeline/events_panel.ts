// The slices of one lane as a table.

import type { Column, Place, Table } from "../api/types";
import { h } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { busy, failure } from "../views/parts";
import type { Row } from "./lane_tree";
import type { TimelineModel } from "./model";

interface EventsReply {
  total_rows: number;
  from: number;
  rows: {
    lane: number;
    event: number;
    row: number;
    name: string;
    begin: number;
    duration: number;
    self: number;
  }[];
}

const kColumns: Column[] = [
  { key: "name", title: "Name", kind: "text" },
  { key: "start", title: "Start", kind: "moment" },
  { key: "duration", title: "Duration", kind: "duration" },
  { key: "self", title: "Self", kind: "duration" },
  { key: "row", title: "Line", kind: "integer" },
];

const kFirst = 500;

function table_of(p: number, reply: EventsReply): Table {
  return {
    name: "events",
    title: "Slices",
    notes: [],
    usual_rows: 0,
    columns: kColumns,
    rows: reply.rows.map((each) => [each.name, each.begin, each.duration, each.self, each.row + 1]),
    places: reply.rows.map((each): Place => [p, each.lane, each.event]),
    total_rows: reply.total_rows,
  };
}

export class EventsPanel {
  readonly element = h("div", { class: "range-panel" });
  private row: Row | null = null;

  get lane_key(): string {
    return this.row?.key ?? "";
  }

  constructor(private readonly model: TimelineModel) {}

  choose(row: Row): void {
    this.row = row;
  }

  async show(): Promise<void> {
    const row = this.row ?? this.row_of_selection();
    if (!row) {
      this.element.replaceChildren(
        busy("Choose “Show as a table” in the menu of a lane, or select a slice of it."),
      );
      return;
    }
    const { context } = this.model;
    const { step } = context.store.state;
    const ask = async (more: object) =>
      table_of(
        row.p,
        (await context.source.json("events", {
          p: row.p,
          lane: row.lane!.id,
          step,
          ...more,
        })) as EventsReply,
      );
    try {
      const block = new TableBlock(context, await ask({ from: 0, rows: kFirst }), {
        title: step === null ? row.label : `${row.label}, step ${step}`,
        p: row.p,
        fetch_rows: (from, rows, find, sort, descending) =>
          ask({ from, rows, find, sort, desc: sort ? descending : undefined }),
        on_open: (_, place) => place && void this.model.go_to(place),
        on_pick: (_, place) =>
          place && void this.model.select({ p: place[0], lane: place[1], event: place[2] }),
      });
      this.element.replaceChildren(block.element);
    } catch (error) {
      this.element.replaceChildren(failure(error, true));
    }
  }

  private row_of_selection(): Row | null {
    const { selected, tree } = this.model;
    return (
      tree.rows.find(
        (row) => row.lane !== undefined && row.p === selected?.p && row.lane.id === selected.lane,
      ) ?? null
    );
  }
}
