// A table of an answer with what people do to it: filter, sort, copy, download, go to a place.

import type { Answer, Cell, Place, Table } from "../api/types";
import type { Parameters } from "../api/client";
import { button, h } from "../dom/element";
import { csv_text, download } from "../text/csv";
import { count_of, integer } from "../text/numbers";
import type { Context } from "../views/context";
import { csv_header } from "./cells";
import { Grid, type GridOptions } from "./grid";
import { parse_sort, sort_text } from "./order";
import { LocalRows, RemoteRows, type FetchRows, type ReadableRows } from "./rows";

export interface BlockOptions extends Partial<GridOptions> {
  // How to ask for more rows of the same table.
  path?: string;
  parameters?: Parameters;
  fetch_rows?: FetchRows; // Where it is not an answer.
  rows_shown?: number; // Height of the grid; without it fills its place.
  title?: string;
  note?: string;
  p?: number; // Profile of moments, to go to.
  fixed_order?: boolean; // Rows can be neither filtered nor sorted.
}

// A text that is searched, as an expression.
export function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

// Rows that are asked for at once when all are; replies about slices hold fewer.
const kReadRows = 50_000;
const kReadSlices = 5_000;

export class TableBlock {
  readonly element: HTMLElement;
  readonly grid: Grid;
  private readonly source: ReadableRows;
  private readonly count: HTMLElement;
  private filter = "";

  constructor(
    private readonly context: Context,
    private readonly table: Table,
    private readonly options: BlockOptions = {},
  ) {
    this.source = this.make_source();
    this.grid = new Grid(this.source, {
      ...options,
      keeps_order: options.fixed_order ?? false,
      label: options.title ?? table.title,
      on_open: options.on_open ?? ((row, place) => this.go(row, place)),
      on_sort: (sort) => {
        this.source.arrange(this.filter, sort);
        this.context.store.set({ sort: sort_text(table.name, table.columns, sort) });
        this.grid.element.scrollTop = 0;
      },
    });
    this.count = h("span", { class: "faint", role: "status" });
    const redraw = this.source.on_change;
    this.source.on_change = () => {
      redraw();
      this.tell_count();
    };
    const toolbar = this.toolbar();
    this.grid.limit_width(toolbar);
    this.element = h(
      "div",
      { class: "table-block" },
      toolbar,
      this.grid.element,
      table.notes.length > 0 &&
        h(
          "div",
          { class: "notes" },
          table.notes.map((note) => h("p", {}, note)),
        ),
    );
    if (options.rows_shown !== undefined) {
      const rows = Math.min(options.rows_shown, Math.max(this.source.total, 1));
      this.grid.element.style.flex = "none";
      this.grid.element.style.height = `${Grid.height_for(rows)}px`;
    }
    const sort = parse_sort(context.store.state.sort, table.name, table.columns);
    this.grid.set_sort(sort);
    this.filter = this.kept_filter();
    if (sort || this.filter || this.source instanceof RemoteRows)
      this.source.arrange(this.filter, sort);
    this.tell_count();
  }

  find(text: string): void {
    this.filter = text;
    this.source.arrange(text, this.grid.sorted);
  }

  // Of this table, from the address.
  private kept_filter(): string {
    const { find } = this.context.store.state;
    const mine = `${this.table.name}:`;
    return find.startsWith(mine) ? find.slice(mine.length) : "";
  }

  set_filter(text: string): void {
    const field = this.element.querySelector<HTMLInputElement>("input[type=search]");
    if (field) field.value = text;
    this.find(text);
  }

  private make_source(): ReadableRows {
    const { path, parameters, fetch_rows } = this.options;
    if (this.table.total_rows <= this.table.rows.length || this.context.source.is_report)
      return new LocalRows(this.table);
    if (fetch_rows) return new RemoteRows(this.table, fetch_rows);
    if (!path) return new LocalRows(this.table);
    return new RemoteRows(this.table, async (from, rows, find, sort, descending) => {
      const answer = (await this.context.source.json(path, {
        ...parameters,
        table: this.table.name,
        from,
        top: rows,
        name: find ? literal(find) : undefined,
        sort,
        desc: sort ? descending : undefined,
      })) as Answer;
      return (
        answer.tables.find((each) => each.name === this.table.name) ?? { ...this.table, rows: [] }
      );
    });
  }

  private tell_count(): void {
    const all = this.table.all_rows ?? this.table.total_rows;
    const shown = this.source.total;
    this.count.textContent =
      shown === all ? count_of(all, "row") : `${integer(shown)} of ${count_of(all, "row")}`;
  }

  private toolbar(): HTMLElement {
    const field = h("input", {
      class: "field",
      type: "search",
      placeholder: "Filter rows",
      "aria-label": `Filter rows of ${this.table.title}`,
      value: this.kept_filter(),
      oninput: () => {
        this.context.store.set({ find: field.value ? `${this.table.name}:${field.value}` : "" });
        this.find(field.value);
      },
    });
    return h(
      "div",
      { class: "bar" },
      h("h2", {}, this.options.title ?? this.table.title),
      this.options.note && h("span", { class: "soft" }, this.options.note),
      this.count,
      h("span", { class: "spring" }),
      this.table.total_rows > 8 && !this.options.fixed_order && field,
      button("Copy", () => this.copy(), { class: "button quiet", title: "Copy as CSV" }),
      button("CSV", () => this.save(), { class: "button quiet", title: "Download as CSV" }),
    );
  }

  // All rows as they are arranged, values in base units: in parts, so that no text is as long as
  // the table.
  private async csv(): Promise<string[]> {
    const parts = [csv_text([this.table.columns.map(csv_header)])];
    const step = this.options.fetch_rows ? kReadSlices : kReadRows;
    const { total } = this.source;
    for (let from = 0; from < total; from += step) {
      const rows = await this.source.read(from, step);
      if (rows.length === 0) throw new Error(`Only ${integer(from)} of ${count_of(total, "row")} came.`);
      parts.push(csv_text(rows));
      if (total > step)
        this.context.toast(`${integer(Math.min(from + step, total))} of ${count_of(total, "row")} …`);
    }
    return parts;
  }

  // Where the table was cut before it came here, the rest is not left out in silence.
  private told_count(): string {
    const { total } = this.source;
    const all = this.table.all_rows ?? this.table.total_rows;
    return all > total && this.filter === ""
      ? `The first ${integer(total)} of ${count_of(all, "row")}`
      : count_of(total, "row");
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText((await this.csv()).join(""));
      this.context.toast(`${this.told_count()} copied.`);
    } catch {
      this.context.toast("The browser does not allow copying here; CSV downloads the table.");
    }
  }

  private async save(): Promise<void> {
    try {
      download(`${this.table.name}.csv`, await this.csv());
      this.context.toast(`${this.told_count()} in ${this.table.name}.csv.`);
    } catch (error) {
      this.context.toast(error instanceof Error ? error.message : String(error));
    }
  }

  private go(row: readonly Cell[], place: Place | null): void {
    if (place) {
      this.context.go_to_slice(place);
      return;
    }
    const { columns } = this.table;
    const moment = columns.findIndex((column) => column.kind === "moment");
    const time = row[moment];
    if (moment < 0 || typeof time !== "number") return;
    const length = columns.findIndex((column) => column.kind === "duration");
    const duration = length >= 0 ? row[length] : null;
    const p = this.options.p ?? this.context.store.state.p;
    this.context.go_to_time(p, time, time + (typeof duration === "number" ? duration : 0));
  }
}
