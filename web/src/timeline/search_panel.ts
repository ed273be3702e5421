// What the search found, by name.

import type { Column, Table } from "../api/types";
import { h } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import type { TimelineModel } from "./model";
import type { SearchBar } from "./search_bar";

const kColumns: Column[] = [
  { key: "name", title: "Name", kind: "text" },
  { key: "count", title: "Count", kind: "integer" },
];

export function search_panel(model: TimelineModel, search: SearchBar): HTMLElement {
  const { replies } = search;
  if (replies.length === 0)
    return h("div", { class: "busy" }, "Search with / or ctrl + f; enter goes to the next hit.");
  const counts = new Map<string, number>();
  for (const { reply } of replies) {
    for (const { name, count } of reply.names) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  const table: Table = {
    name: "search",
    title: "Found by name",
    notes: [],
    usual_rows: 0,
    columns: kColumns,
    rows,
    total_rows: rows.length,
  };
  return new TableBlock(model.context, table, {
    on_open: (row) => {
      model.context.store.set({ q: String(row[0]), how: "w" });
      void search.search().then(() => search.step(1));
    },
  }).element;
}
