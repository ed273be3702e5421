// Answers of the modes of `npuprof analyze`, as any view shows them.

import type { Answer, Table } from "../api/types";
import { h } from "../dom/element";
import { TableBlock, type BlockOptions } from "../tables/table_block";
import { beside } from "./compared_parts";
import type { Context } from "./context";
import type { Parameters } from "../api/client";

export type PageTable = Table & { on_page?: boolean };

export function answer_parameters(
  context: Context,
  mode: string,
  more: Parameters = {},
): Parameters {
  const { store, source } = context;
  const { p, step } = store.state;
  return { p, mode, step, ...(source.is_report ? {} : beside(store.state)), ...more };
}

// Rows of each table that come at once; more are asked for when they are scrolled to.
export const kFirstRows = 2000;

// Of the shown profile, and of what it is compared with beside it.
export async function ask(
  context: Context,
  mode: string,
  more: Parameters = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const parameters = answer_parameters(context, mode, more);
  for (const side of ["p", "q"] as const)
    if (typeof parameters[side] === "number") await context.profiles.load(parameters[side]);
  return (await context.source.json(
    "answer",
    { ...parameters, top: kFirstRows },
    signal,
  )) as Answer;
}

export function shown_tables(answer: Answer): Table[] {
  return answer.tables.filter(
    (table) => (table as PageTable).on_page !== false && table.columns.length > 0,
  );
}

export function find_table(answer: Answer, ...names: string[]): Table | undefined {
  for (const name of names) {
    const found = answer.tables.find((table) => table.name === name);
    if (found) return found;
  }
  return undefined;
}

export function block_of(
  context: Context,
  mode: string,
  table: Table,
  more: Parameters = {},
  options: BlockOptions = {},
): TableBlock {
  return new TableBlock(context, table, {
    path: "answer",
    parameters: answer_parameters(context, mode, more),
    ...options,
  });
}

// All tables of an answer, one below the other, each as high as it needs.
export function stacked(
  context: Context,
  mode: string,
  answer: Answer,
  more: Parameters = {},
  most_rows = 14,
): HTMLElement {
  return h(
    "div",
    { class: "stacked" },
    shown_tables(answer).map((table) =>
      h(
        "section",
        { class: "card" },
        block_of(context, mode, table, more, { rows_shown: most_rows }).element,
      ),
    ),
  );
}

export function value_of(table: Table, row: number, key: string): number | string | null {
  const column = table.columns.findIndex((each) => each.key === key);
  return column < 0 ? null : (table.rows[row]?.[column] ?? null);
}
