// How cells of answers look: one unit per column, found from its largest value.

import type { Cell, Column } from "../api/types";
import {
  byte_unit,
  exact_duration,
  fixed,
  in_unit,
  integer,
  real,
  share,
  time_unit,
  type Unit,
} from "../text/numbers";

export interface ColumnLook {
  column: Column;
  is_number: boolean;
  unit: string; // In the header.
  text(cell: Cell): string;
  hint(cell: Cell): string; // Exact, where the text is rounded.
}

function largest_of(rows: readonly (readonly Cell[])[], place: number): number {
  let largest = 0;
  for (const row of rows) {
    const cell = row[place];
    if (typeof cell === "number" && Math.abs(cell) > largest) largest = Math.abs(cell);
  }
  return largest;
}

function with_unit(column: Column, unit: Unit, hint: (value: number) => string): ColumnLook {
  return {
    column,
    is_number: true,
    unit: unit.name,
    text: (cell) => (typeof cell === "number" ? in_unit(cell, unit) : ""),
    hint: (cell) => (typeof cell === "number" ? hint(cell) : ""),
  };
}

function plain(column: Column, unit: string, text: (value: number) => string): ColumnLook {
  const show = (cell: Cell) =>
    typeof cell === "number" ? text(cell) : cell === null ? "" : String(cell);
  return { column, is_number: true, unit, text: show, hint: show };
}

// Durations of a table are compared with one another: they share a unit, but for a column that
// stays below one of it.
const kTooSmall = 1;

export function duration_unit(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  place: number,
): Unit {
  const own = largest_of(rows, place);
  const all = Math.max(
    ...columns.map((each, i) => (each.kind === "duration" ? largest_of(rows, i) : 0)),
  );
  const common = time_unit(all);
  return own > 0 && own < common.size * kTooSmall ? time_unit(own) : common;
}

// Of a difference both signs are told.
function signed(look: ColumnLook): ColumnLook {
  const sign = (cell: Cell) => (typeof cell === "number" && cell > 0 ? "+" : "");
  return {
    ...look,
    text: (cell) => sign(cell) + look.text(cell),
    hint: (cell) => sign(cell) + look.hint(cell),
  };
}

export function column_look(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  place: number,
): ColumnLook {
  const look = plain_look(columns, rows, place);
  return columns[place]!.key.endsWith("_difference") ? signed(look) : look;
}

function plain_look(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  place: number,
): ColumnLook {
  const column = columns[place]!;
  switch (column.kind) {
    case "duration":
      return with_unit(column, duration_unit(columns, rows, place), exact_duration);
    case "moment":
      return with_unit(column, time_unit(Math.max(largest_of(rows, place), 1e7)), exact_duration);
    case "bytes":
      return with_unit(
        column,
        byte_unit(largest_of(rows, place)),
        (value) => `${integer(value)} B`,
      );
    case "share":
      return plain(column, "%", (value) => share(value).slice(0, -2));
    case "integer":
      return plain(column, "", identifier_text(column, largest_of(rows, place)));
    case "real":
      return real_look(column, largest_of(rows, place));
    case "text": {
      const show = (cell: Cell) => (cell === null ? "" : String(cell));
      return { column, is_number: false, unit: "", text: show, hint: show };
    }
  }
}

// Operations and the like run into many digits: with the prefix that keeps them short.
const kPrefixes: readonly (readonly [number, string])[] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
];

function real_look(column: Column, largest: number): ColumnLook {
  const unit = column.unit ?? "";
  const prefix = unit === "FLOP" ? kPrefixes.find(([size]) => largest >= size) : undefined;
  if (!prefix) return plain(column, unit, real);
  const [size, name] = prefix;
  const look = plain(column, `${name}${unit}`, (value) => fixed(value / size, 3));
  return { ...look, hint: (cell) => (typeof cell === "number" ? `${integer(cell)} ${unit}` : "") };
}

// Ranks, streams, threads and steps are names that happen to be numbers: no thousands.
function identifier_text(column: Column, largest: number): (value: number) => string {
  const is_name =
    /^(device|stream|step|rank|number|tid|pid|thread|process|task|src|dst)$|_id$/i.test(column.key);
  return is_name || largest < 1e4 ? String : integer;
}

// What a program would read: seconds of a unit are no use there, base units are.
export function csv_header(column: Column): string {
  const units: Partial<Record<Column["kind"], string>> = {
    duration: "ns",
    moment: "ns",
    bytes: "B",
    share: "0..1",
  };
  const unit = units[column.kind] ?? column.unit ?? "";
  return unit ? `${column.title} (${unit})` : column.title;
}
