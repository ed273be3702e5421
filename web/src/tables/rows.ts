// Where a grid takes its rows from: all of them at hand, or windows asked of the server.

import type { Cell, Column, Place, Table } from "../api/types";
import { row_order, type SortBy } from "./order";

export interface RowSource {
  readonly columns: readonly Column[];
  readonly total: number; // After the filter.
  readonly sample: readonly (readonly Cell[])[]; // For widths and units.
  row(i: number): readonly Cell[] | undefined; // undefined = not here yet.
  place(i: number): Place | null; // Where on the timeline the row is.
  arrange(find: string, sort: SortBy | null): void;
  need(first: number, last: number): void; // Rows that are looked at.
  on_change: () => void;
}

export interface ReadableRows extends RowSource {
  // Rows as they are arranged, whether they are looked at or not.
  read(from: number, count: number): Promise<readonly (readonly Cell[])[]>;
}

// All rows are at hand; those that are shown, in their order, are named by their places.
export abstract class TableRows implements RowSource {
  on_change = () => {};
  protected shown: number[];

  constructor(protected readonly table: Table) {
    this.shown = table.rows.map((_, i) => i);
  }

  get columns(): readonly Column[] {
    return this.table.columns;
  }

  get sample(): readonly (readonly Cell[])[] {
    return this.table.rows;
  }

  get total(): number {
    return this.shown.length;
  }

  row(i: number): readonly Cell[] | undefined {
    const place = this.shown[i];
    return place === undefined ? undefined : this.table.rows[place];
  }

  place(i: number): Place | null {
    const place = this.shown[i];
    return place === undefined ? null : (this.table.places?.[place] ?? null);
  }

  abstract arrange(find: string, sort: SortBy | null): void;

  need(): void {}
}

export class LocalRows extends TableRows implements ReadableRows {
  arrange(find: string, sort: SortBy | null): void {
    this.shown = row_order(this.table.rows, this.table.columns, find, sort);
    this.on_change();
  }

  read(from: number, count: number): Promise<readonly (readonly Cell[])[]> {
    const places = this.shown.slice(from, from + count);
    return Promise.resolve(places.map((place) => this.table.rows[place]!));
  }
}

export type FetchRows = (
  from: number,
  rows: number,
  find: string,
  sort: string,
  descending: boolean,
) => Promise<Table>;

const kPage = 500;

// A table with more rows than were sent: the server sorts and filters, pages are kept.
export class RemoteRows implements ReadableRows {
  on_change = () => {};
  total: number;
  private pages = new Map<number, Table | null>(); // null = asked for.
  private find = "";
  private sort: SortBy | null = null;
  private generation = 0;

  constructor(
    private readonly first: Table,
    private readonly fetch_rows: FetchRows,
  ) {
    this.total = first.total_rows;
  }

  get columns(): readonly Column[] {
    return this.first.columns;
  }

  get sample(): readonly (readonly Cell[])[] {
    return this.first.rows;
  }

  row(i: number): readonly Cell[] | undefined {
    return this.pages.get(Math.floor(i / kPage))?.rows[i % kPage];
  }

  place(i: number): Place | null {
    return this.pages.get(Math.floor(i / kPage))?.places?.[i % kPage] ?? null;
  }

  arrange(find: string, sort: SortBy | null): void {
    this.find = find;
    this.sort = sort;
    this.pages = new Map();
    this.generation++;
    this.load(0);
  }

  need(first: number, last: number): void {
    for (let page = Math.floor(first / kPage); page * kPage < last; page++) this.load(page);
  }

  async read(from: number, count: number): Promise<readonly (readonly Cell[])[]> {
    return (await this.ask(from, count)).rows;
  }

  private ask(from: number, count: number): Promise<Table> {
    const key = this.sort ? (this.columns[this.sort.column]?.key ?? "") : "";
    return this.fetch_rows(from, count, this.find, key, this.sort?.descending ?? false);
  }

  private load(page: number): void {
    if (this.pages.has(page)) return;
    this.pages.set(page, null);
    const generation = this.generation;
    this.ask(page * kPage, kPage)
      .then((table) => {
        if (generation !== this.generation) return;
        this.pages.set(page, table);
        this.total = table.total_rows;
        this.on_change();
      })
      .catch(() => {
        if (generation === this.generation) this.pages.delete(page);
      });
  }
}
