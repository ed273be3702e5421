// Executions of graphs as bars of what the host does in them: warm ones, and apart from them those
// that compiled or loaded, which are far longer.

import type { Answer, Table } from "../api/types";
import { step_bars, type Bar, type BarPart } from "../charts/step_bars";
import { find_table, value_of } from "./answers";
import type { Context } from "./context";
import { card } from "./parts";
import { h } from "../dom/element";

const kParts: readonly (readonly [
  key: string,
  name: string,
  category: string,
  pattern: BarPart["pattern"],
])[] = [
  ["front_end", "Front end", "python", "solid"],
  ["torchair_py", "TorchAir, Python", "framework", "solid"],
  ["torchair_cpp", "TorchAir, C++", "vector", "striped"],
  ["compile", "Compile", "aicpu", "hatched"],
  ["load", "Load", "memcpy", "hatched"],
  ["ge_launch", "GE launch", "cann", "solid"],
  ["replay", "Replay", "cann", "striped"],
  ["post_cpp", "Outputs, C++", "attention", "striped"],
  ["post_py", "Outputs, Python", "attention", "solid"],
];

// What has a bar of its own on the page.
export const kDrawnTables = new Set(["bars"]);

function bar_of(context: Context, table: Table, row: number): Bar {
  const start = value_of(table, row, "start");
  const head = Number(value_of(table, row, "head") ?? 0);
  const { p } = context.store.state;
  return {
    label: `${value_of(table, row, "graph") ?? ""} · ${value_of(table, row, "step") ?? "–"}`,
    parts: kParts.map(([key, name, category, pattern]) => ({
      name,
      category,
      pattern,
      ns: Number(value_of(table, row, key) ?? 0),
    })),
    ...(typeof start === "number"
      ? { on_click: () => context.go_to_time(p, start, start + head) }
      : {}),
  };
}

export function execution_bars(context: Context, answer: Answer): HTMLElement | null {
  const table = find_table(answer, "head_overhead");
  if (!table || table.rows.length === 0) return null;
  const rows = table.rows.map((_, row) => row);
  const cold = (row: number) => value_of(table, row, "state") === "cold";
  const bars = (list: number[]) => step_bars(list.map((row) => bar_of(context, table, row)));
  const warm_rows = rows.filter((row) => !cold(row));
  const cold_rows = rows.filter(cold);
  return h(
    "div",
    { class: "cards" },
    warm_rows.length > 0 &&
      card("Warm executions", cold_rows.length > 0 ? 6 : 12, bars(warm_rows), {
        note: "graph · step; a click shows it on the timeline",
      }),
    cold_rows.length > 0 &&
      card("Executions that compiled or loaded", warm_rows.length > 0 ? 6 : 12, bars(cold_rows)),
  );
}
