// What the search found: each hit in order of time, and how many there are of each name.

import type { Column, Place, Table } from "../api/types";
import { h } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { failure, tab_buttons } from "../views/parts";
import type { TimelineModel } from "./model";
import type { HitsReply, SearchBar } from "./search_bar";

const kNameColumns: Column[] = [
  { key: "name", title: "Name", kind: "text" },
  { key: "count", title: "Count", kind: "integer" },
];

const kHitColumns: Column[] = [
  { key: "name", title: "Name", kind: "text" },
  { key: "start", title: "Start", kind: "moment" },
  { key: "duration", title: "Duration", kind: "duration" },
  { key: "self", title: "Self", kind: "duration" },
  { key: "lane", title: "Lane", kind: "text" },
];

const kTabs = [
  { name: "hits", title: "Hits" },
  { name: "names", title: "By name" },
];

const kFirst = 200;

function hits_table(p: number, title: string, reply: HitsReply): Table {
  return {
    name: "hits",
    title,
    notes: [],
    usual_rows: 0,
    columns: kHitColumns,
    rows: reply.rows.map((hit) => [
      hit.name,
      hit.begin,
      hit.duration,
      hit.self,
      `${hit.group} · ${hit.lane_name}`,
    ]),
    places: reply.rows.map((hit): Place => [p, hit.lane, hit.event]),
    total_rows: reply.total_rows,
  };
}

export class SearchPanel {
  readonly element = h("div", { class: "range-panel" });
  private by = "hits";
  private generation = 0;

  constructor(
    private readonly model: TimelineModel,
    private readonly search: SearchBar,
  ) {}

  async show(): Promise<void> {
    const generation = ++this.generation;
    if (this.search.replies.length === 0) {
      const text = "Search with / or ctrl + f; enter goes to the next hit.";
      this.element.replaceChildren(h("div", { class: "busy" }, text));
      return;
    }
    const head = h(
      "div",
      { class: "bar" },
      tab_buttons("Found", kTabs, this.by, (by) => {
        this.by = by;
        void this.show();
      }),
    );
    const blocks = this.by === "names" ? [this.names()] : await this.hits();
    if (generation !== this.generation) return;
    const body = h("div", { class: blocks.length > 1 ? "range-many" : "range-one" });
    body.append(...blocks);
    this.element.replaceChildren(head, body);
  }

  // A table for each profile. The server searches: it has all hits, in order of time.
  private hits(): Promise<HTMLElement[]> {
    const { context, profiles } = this.model;
    return Promise.all(
      this.search.replies.map(async ({ p }) => {
        const title = profiles.length > 1 ? `Hits, ${context.profiles.label(p)}` : "Hits";
        const ask = async (from: number, rows: number) =>
          hits_table(p, title, await this.search.hits(p, from, rows));
        try {
          const block = new TableBlock(context, await ask(0, kFirst), {
            p,
            fixed_order: true,
            fetch_rows: ask,
            on_open: (_, place) => place && void this.model.go_to(place),
            on_pick: (_, place) => place && void this.model.go_to(place),
          });
          return h("div", { class: "range-section" }, block.element);
        } catch (error) {
          return failure(error, true);
        }
      }),
    );
  }

  private names(): HTMLElement {
    const counts = new Map<string, number>();
    for (const { reply } of this.search.replies) {
      for (const { name, count } of reply.names) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    const rows = [...counts].sort(([, a], [, b]) => b - a);
    const table: Table = {
      name: "search",
      title: "Found by name",
      notes: [],
      usual_rows: 0,
      columns: kNameColumns,
      rows,
      total_rows: rows.length,
    };
    return new TableBlock(this.model.context, table, {
      on_open: (row) => {
        const { store } = this.model.context;
        store.set({ q: String(row[0]), how: store.state.how.includes("i") ? "wi" : "w" });
        void this.search.search().then(() => this.search.step(1));
      },
    }).element;
  }
}
