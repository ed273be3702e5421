// A row of the table of step times as parts that sum to the wall time of the step. Pure.

import type { Table } from "../api/types";
import type { BarPart } from "../charts/step_bars";

export interface StepRow {
  step: number | null;
  device: number | null;
  parts: BarPart[];
  total: number;
  computing: number;
  not_overlapped: number;
  communication: number;
  free: number;
}

function reader(table: Table): (row: number, key: string) => number {
  const places = new Map(table.columns.map((column, place) => [column.key, place]));
  return (row, key) => {
    const place = places.get(key);
    const cell = place === undefined ? null : table.rows[row]?.[place];
    return typeof cell === "number" ? cell : 0;
  };
}

interface StepTimes {
  computing: number;
  overlapped: number;
  not_overlapped: number;
  free: number;
  preparing: number;
}

// They sum to the wall time.
export function parts_of(times: StepTimes): BarPart[] {
  const { computing, overlapped, not_overlapped, free, preparing } = times;
  return [
    { name: "Computing", category: "cube", pattern: "solid", ns: computing - overlapped },
    { name: "Overlapped", category: "cube", pattern: "striped", ns: overlapped },
    {
      name: "Communication, not overlapped",
      category: "communication",
      pattern: "solid",
      ns: not_overlapped,
    },
    { name: "Free", category: "free", pattern: "hatched", ns: free },
    { name: "Preparing", category: "other", pattern: "hatched", ns: preparing },
  ];
}

export function step_rows(table: Table): StepRow[] {
  const read = reader(table);
  const has_step = table.columns.findIndex((column) => column.key === "step");
  return table.rows.map((cells, row) => {
    const computing = read(row, "computing");
    const communication = read(row, "communication");
    const not_overlapped = read(row, "not_overlapped");
    const overlapped = Math.min(Math.max(communication - not_overlapped, 0), computing);
    const free = read(row, "free");
    const preparing = Math.max(0, read(row, "preparing"));
    const parts = parts_of({ computing, overlapped, not_overlapped, free, preparing });
    const step = has_step >= 0 ? cells[has_step] : null;
    return {
      step: typeof step === "number" ? step : null,
      device: read(row, "device"),
      parts,
      total: parts.reduce((sum, part) => sum + part.ns, 0),
      computing,
      communication,
      not_overlapped,
      free,
    };
  });
}
