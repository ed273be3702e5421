// Questions in SQL, answered as a table and, where it makes sense, as bars.

import type { Answer, Cell, Column, Table } from "../api/types";
import { button, h, replace_children, type Child } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { column_look } from "../tables/cells";
import { integer } from "../text/numbers";
import type { Context, View } from "./context";
import { choice, failure, Slot } from "./parts";

interface SchemaTable {
  name: string;
  about?: string;
  columns: (string | { name: string; type?: string })[];
  rows?: number | null;
}

interface SchemaReply {
  tables: SchemaTable[];
  examples?: { title: string; sql: string }[];
}

const kFirst =
  "select type, count(*) as calls, sum(duration_ns) as total_ns\nfrom kernel group by type order by total_ns desc";
const kMostBars = 30;

export class SqlView implements View {
  readonly fills = true;
  readonly element: HTMLElement;
  private readonly field: HTMLTextAreaElement;
  private readonly slot = new Slot(h("div", { class: "fill" }));
  private readonly schema = h("aside", { class: "side schema", "aria-label": "Tables" });

  constructor(private readonly context: Context) {
    const { store } = context;
    this.field = h("textarea", {
      class: "field mono sql",
      spellcheck: "false",
      "aria-label": "SQL",
      rows: 5,
      onkeydown: (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          this.run();
        }
      },
    });
    this.field.value = store.state.sql || kFirst;
    this.element = h(
      "div",
      { class: "split" },
      h(
        "div",
        { class: "split-main" },
        h(
          "div",
          { class: "sql-box" },
          this.field,
          h(
            "div",
            { class: "bar" },
            button("Run", () => this.run(), { class: "button main" }),
            h("kbd", {}, "ctrl + enter"),
            h("span", { class: "faint" }, "Reads only; rows and time are limited."),
          ),
        ),
        this.slot.element,
      ),
      this.schema,
    );
    void this.load_schema();
    if (store.state.sql) this.run();
  }

  destroy(): void {
    this.slot.stop();
  }

  private run(): void {
    const { store, source, profiles } = this.context;
    const sql = this.field.value.trim();
    store.set({ sql });
    void this.slot.fill(async (signal) => {
      const { p, step } = store.state;
      await profiles.load(p);
      const answer = (await source.json("sql", { p, step, sql }, signal)) as Answer;
      const table = cut_table(answer);
      if (!table) return h("p", { class: "busy" }, "No rows.");
      return [
        answer.sentences.length > 0 && h("p", { class: "bar faint" }, answer.sentences.join(" ")),
        bars(table),
        new TableBlock(this.context, table, { title: "Result" }).element,
      ];
    });
  }

  private async load_schema(): Promise<void> {
    const { store, source, profiles } = this.context;
    try {
      await profiles.load(store.state.p);
      const reply = (await source.json("tables", {
        p: store.state.p,
        step: store.state.step,
      })) as SchemaReply;
      replace_children(this.schema, this.schema_list(reply));
    } catch (error) {
      replace_children(this.schema, failure(error, true));
    }
  }

  private schema_list(reply: SchemaReply): Child[] {
    const use = (sql: string) => {
      this.field.value = sql;
      this.run();
    };
    const name_of = (column: SchemaTable["columns"][number]) =>
      typeof column === "string" ? column : column.name;
    const examples = reply.examples ?? [];
    return [
      h(
        "div",
        { class: "side-body" },
        h("h2", {}, "Tables"),
        examples.length > 0 &&
          choice(
            "Examples",
            [
              { value: "", title: "Examples …" },
              ...examples.map((each) => ({ value: each.sql, title: each.title })),
            ],
            "",
            (sql) => sql && use(sql),
          ),
        reply.tables.map((table) =>
          h(
            "details",
            {},
            h(
              "summary",
              {},
              h("span", { class: "mono" }, table.name),
              typeof table.rows === "number" && h("span", { class: "faint" }, ` ${table.rows}`),
            ),
            table.about && h("p", { class: "soft" }, table.about),
            h("p", { class: "mono faint" }, table.columns.map(name_of).join(", ")),
            button("First rows", () => use(`select * from ${table.name} limit 100`), {
              class: "button quiet",
            }),
          ),
        ),
      ),
    ];
  }
}

// A result that was too long to be kept as a whole says so.
function cut_table(answer: Answer): Table | undefined {
  const table = answer.tables[0];
  const all_rows = answer.all_rows ?? 0;
  if (!table || all_rows <= table.total_rows) return table;
  const note = `The result has ${integer(all_rows)} rows; these are the first ${integer(table.total_rows)}. Add them up, or ask for fewer.`;
  return { ...table, all_rows, notes: [...table.notes, note] };
}

// The first text and the last number of each row.
function bars(table: Table): HTMLElement | null {
  const text = table.columns.findIndex((column) => column.kind === "text");
  const number = last_number(table.columns, table.rows);
  if (text < 0 || number < 0 || table.rows.length < 2 || table.rows.length > kMostBars) return null;
  const look = column_look(table.columns, table.rows, number);
  const value = (row: Cell[]) => (typeof row[number] === "number" ? (row[number] as number) : 0);
  const most = Math.max(...table.rows.map((row) => Math.abs(value(row))), 1e-12);
  return h(
    "div",
    { class: "sql-bars" },
    h(
      "table",
      { class: "shares", "aria-label": "Chart of the result" },
      h(
        "tbody",
        {},
        table.rows
          .slice(0, 12)
          .map((row) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, String(row[text] ?? "")),
              h(
                "td",
                { class: "bar-cell" },
                h(
                  "div",
                  { class: "mini-bar", "aria-hidden": "true" },
                  h("span", { style: { width: `${(Math.abs(value(row)) / most) * 100}%` } }),
                ),
              ),
              h("td", { class: "number" }, `${look.text(row[number] ?? null)} ${look.unit}`),
            ),
          ),
      ),
    ),
  );
}

function last_number(columns: readonly Column[], rows: readonly Cell[][]): number {
  for (let place = columns.length - 1; place >= 0; place--) {
    if (rows.some((row) => typeof row[place] === "number")) return place;
  }
  return -1;
}
