// Rows whose first text is indented, as a tree that opens and closes.

import type { Table } from "../api/types";
import { TableRows } from "./rows";
import { compare_cells, type SortBy } from "./order";

const kIndent = 2; // Spaces.

export class TreeRows extends TableRows {
  private readonly depths: number[];
  private readonly closed = new Set<number>();
  private sort: SortBy | null = null;
  // Told whenever rows are opened or closed.
  on_closed: (places: number[]) => void = () => {};

  // `name` is the column that is indented; -1: none is.
  constructor(table: Table, name: number) {
    super(table);
    this.depths = table.rows.map((row) =>
      name < 0 ? 0 : Math.floor(/^ */.exec(String(row[name] ?? ""))![0]!.length / kIndent),
    );
    this.rebuild();
  }

  get deepest(): number {
    return Math.max(0, ...this.depths);
  }

  depth(i: number): number {
    return this.depths[this.shown[i] ?? 0] ?? 0;
  }

  has_children(i: number): boolean {
    const place = this.shown[i] ?? 0;
    return (this.depths[place + 1] ?? 0) > (this.depths[place] ?? 0);
  }

  is_open(i: number): boolean {
    return !this.closed.has(this.shown[i] ?? 0);
  }

  toggle(i: number): void {
    const place = this.shown[i];
    if (place === undefined || !this.has_children(i)) return;
    if (!this.closed.delete(place)) this.closed.add(place);
    this.changed();
  }

  // Closes these rows of the table, and no others.
  close(places: readonly number[]): void {
    this.closed.clear();
    for (const place of places) this.closed.add(place);
    this.changed();
  }

  set_all(open: boolean): void {
    this.closed.clear();
    if (!open)
      this.depths.forEach(
        (depth, place) => (this.depths[place + 1] ?? 0) > depth && this.closed.add(place),
      );
    this.changed();
  }

  private changed(): void {
    this.on_closed([...this.closed].sort((a, b) => a - b));
    this.arrange("", this.sort);
  }

  // Siblings are sorted, each with what is below it.
  arrange(_: string, sort: SortBy | null): void {
    this.sort = sort;
    this.rebuild();
    if (sort)
      this.shown = this.sorted(0, this.table.rows.length, sort).filter((place) =>
        this.shown.includes(place),
      );
    this.on_change();
  }

  private sorted(from: number, to: number, sort: SortBy): number[] {
    const blocks: { place: number; end: number }[] = [];
    for (let i = from; i < to;) {
      let end = i + 1;
      while (end < to && this.depths[end]! > this.depths[i]!) end++;
      blocks.push({ place: i, end });
      i = end;
    }
    const cell = (place: number) => this.table.rows[place]![sort.column] ?? null;
    blocks.sort((a, b) => compare_cells(cell(a.place), cell(b.place), sort.descending));
    return blocks.flatMap(({ place, end }) => [place, ...this.sorted(place + 1, end, sort)]);
  }

  private rebuild(): void {
    this.shown = [];
    let hidden_below = Infinity;
    this.depths.forEach((depth, place) => {
      if (depth > hidden_below) return;
      hidden_below = this.closed.has(place) ? depth : Infinity;
      this.shown.push(place);
    });
  }
}
