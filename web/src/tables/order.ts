// Which rows of a table are shown, in which order. Pure.

import type { Cell, Column } from "../api/types";

export interface SortBy {
  column: number;
  descending: boolean;
}

// Absent cells come last in both directions; equal rows keep their order.
export function compare_cells(a: Cell, b: Cell, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  return descending ? -order : order;
}

export function row_order(
  rows: readonly (readonly Cell[])[],
  columns: readonly Column[],
  find: string,
  sort: SortBy | null,
): number[] {
  const needle = find.trim().toLowerCase();
  const texts = columns.flatMap((column, place) => (column.kind === "text" ? [place] : []));
  const places: number[] = [];
  rows.forEach((row, i) => {
    if (
      !needle ||
      texts.some((place) =>
        String(row[place] ?? "")
          .toLowerCase()
          .includes(needle),
      )
    )
      places.push(i);
  });
  if (sort) {
    places.sort((a, b) =>
      compare_cells(rows[a]![sort.column]!, rows[b]![sort.column]!, sort.descending),
    );
  }
  return places;
}

// Numbers are looked at from the largest down, names from A on.
export function next_sort(column: number, kind: Column["kind"], now: SortBy | null): SortBy | null {
  const first = kind !== "text";
  if (!now || now.column !== column) return { column, descending: first };
  return now.descending === first ? { column, descending: !first } : null;
}

// "table:-key", as the address has it.
export function sort_text(table: string, columns: readonly Column[], sort: SortBy | null): string {
  return sort ? `${table}:${sort.descending ? "-" : ""}${columns[sort.column]?.key ?? ""}` : "";
}

export function parse_sort(text: string, table: string, columns: readonly Column[]): SortBy | null {
  const match = /^(.*):(-?)(.+)$/s.exec(text);
  if (!match || match[1] !== table) return null;
  const column = columns.findIndex((each) => each.key === match[3]);
  return column < 0 ? null : { column, descending: match[2] === "-" };
}
