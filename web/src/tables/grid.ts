// A table of any length: only rows in view exist. One tab stop; arrows move a cell.

import { h, replace_children, type Child } from "../dom/element";
import type { Cell, Column, Place } from "../api/types";
import { column_look, type ColumnLook } from "./cells";
import { next_sort, type SortBy } from "./order";
import type { RowSource } from "./rows";
import { text_width } from "./text_width";
import { scroll_to, space_height, visible_window } from "./scroll";

export interface GridOptions {
  label: string;
  // Replaces what a cell shows; undefined leaves it.
  render?: (row: readonly Cell[], column: Column, look: ColumnLook, i: number) => Child | undefined;
  on_open?: (row: readonly Cell[], place: Place | null, i: number) => void; // Enter or double click.
  on_pick?: (row: readonly Cell[], place: Place | null, i: number) => void; // Click.
  on_sort?: (sort: SortBy | null) => void;
  keeps_order?: boolean; // Headers do not sort.
  is_picked?: (row: readonly Cell[]) => boolean;
  hidden_columns?: ReadonlySet<string>;
  whole_column?: { key: string; spare: number }; // Its texts are never cut, with so many px more.
}

const kRow = 24;
const kHead = 29;
const kLeastText = 200; // px
const kMostText = 900;
const kLeastWidth = 30;
const kPadding = 17;
const kSpare = 8; // Cells further down may be a little wider.
const kShareBar = 56;
const kLeastAbove = 760; // px: for a title, a filter and buttons.
const kMeasured = 300; // Rows.
let grids = 0;

export class Grid {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly space: HTMLElement;
  private readonly id = `grid${grids++}`;
  private looks: ColumnLook[] = [];
  private places: number[] = []; // Shown columns, places in rows.
  private sort: SortBy | null = null;
  private active = { row: 0, column: 0 }; // Row -1 is the header.
  private frame = 0;
  private widest = 0; // px: all columns as wide as they need.
  private readonly watcher = new ResizeObserver(() => this.draw_soon());

  constructor(
    private source: RowSource,
    private readonly options: GridOptions,
  ) {
    this.head = h("div", { class: "grid-row grid-head", role: "row", "aria-rowindex": 1 });
    this.space = h("div", { class: "grid-space", role: "rowgroup" });
    this.element = h(
      "div",
      {
        class: "grid",
        role: "grid",
        tabindex: 0,
        "aria-label": options.label,
        onscroll: () => this.draw_soon(),
        onkeydown: (event) => this.on_key(event),
        onclick: (event) => this.on_click(event),
      },
      h("div", { role: "rowgroup", class: "grid-header-group" }, this.head),
      this.space,
    );
    this.watcher.observe(this.element);
    this.show(source);
  }

  show(source: RowSource): void {
    this.source = source;
    source.on_change = () => this.refresh();
    const sample = source.sample.slice(0, 2000);
    this.looks = source.columns.map((_, place) => column_look(source.columns, sample, place));
    this.places = source.columns.flatMap((column, place) =>
      this.options.hidden_columns?.has(column.key) ? [] : [place],
    );
    this.set_columns(sample);
    this.element.setAttribute("aria-colcount", String(this.places.length));
    this.refresh();
  }

  set_sort(sort: SortBy | null): void {
    this.sort = sort;
    this.draw_head();
  }

  // What stands above the columns ends where they do, however wide the window is.
  limit_width(above: HTMLElement): void {
    above.style.maxWidth = `${Math.max(this.widest, kLeastAbove)}px`;
  }

  get sorted(): SortBy | null {
    return this.sort;
  }

  refresh(): void {
    this.element.setAttribute("aria-rowcount", String(this.source.total + 1));
    this.space.style.height = `${space_height(this.source.total, kRow)}px`;
    this.active.row = Math.min(this.active.row, this.source.total - 1);
    this.draw_head();
    this.draw();
  }

  // Height that shows all of `rows` rows.
  static height_for(rows: number): number {
    return kHead + rows * kRow + 12;
  }

  // What a column needs: its header and the widest of its first cells.
  private column_width(place: number, sample: readonly (readonly Cell[])[]): number {
    const look = this.looks[place]!;
    const { column } = look;
    const header = text_width(
      look.unit ? `${column.title} ${look.unit} ↓` : `${column.title} ↓`,
      true,
    );
    let longest = "";
    for (let i = 0; i < Math.min(sample.length, kMeasured); i++) {
      const text = look.text(sample[i]![place] ?? null);
      if (text.length > longest.length) longest = text;
    }
    const extra = column.kind === "share" ? kShareBar : kSpare;
    const most = look.is_number ? Infinity : kMostText;
    return Math.ceil(
      Math.min(Math.max(text_width(longest) + extra, header, kLeastWidth), most) + kPadding,
    );
  }

  // Numbers have what they need; texts give way where there is little room.
  private set_columns(sample: readonly (readonly Cell[])[]): void {
    const widths = this.places.map((place) => this.column_width(place, sample));
    const { whole_column } = this.options;
    const least = this.places.map((place, i) => {
      const { is_number, column } = this.looks[place]!;
      if (column.key === whole_column?.key) return (widths[i]! += whole_column.spare);
      return is_number ? widths[i]! : Math.min(widths[i]!, kLeastText);
    });
    this.element.style.setProperty(
      "--columns",
      widths.map((width, i) => `minmax(${least[i]}px, ${width}px)`).join(" "),
    );
    this.widest = widths.reduce((sum, width) => sum + width, 0);
    this.element.style.setProperty("--least", `${least.reduce((sum, width) => sum + width, 0)}px`);
  }

  private draw_head(): void {
    replace_children(
      this.head,
      this.places.map((place, i) => {
        const look = this.looks[place]!;
        const sorted =
          this.sort?.column === place
            ? this.sort.descending
              ? "descending"
              : "ascending"
            : "none";
        return h(
          "div",
          {
            class: `cell ${look.is_number ? "number" : ""} ${this.active.row === -1 && this.active.column === i ? "active" : ""}`,
            role: "columnheader",
            id: `${this.id}-h-${i}`,
            "aria-colindex": i + 1,
            "aria-sort": sorted,
            "data-column": i,
            title: look.column.title,
          },
          look.column.title,
          look.unit && h("span", { class: "unit" }, look.unit),
          sorted !== "none" &&
            h(
              "span",
              { class: "sorted", "aria-hidden": "true" },
              sorted === "descending" ? "↓" : "↑",
            ),
        );
      }),
    );
  }

  private draw_soon(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private draw(): void {
    const { scrollTop, clientHeight } = this.element;
    if (clientHeight === 0) return; // Not laid out: the watcher tells when it is.
    const shown = visible_window(
      scrollTop,
      Math.max(clientHeight - kHead, kRow),
      this.source.total,
      kRow,
    );
    this.source.need(shown.first, shown.last);
    const rows: HTMLElement[] = [];
    for (let i = shown.first; i < shown.last; i++)
      rows.push(this.draw_row(i, shown.shift + (i - shown.first) * kRow));
    if (this.source.total === 0)
      rows.push(
        h("div", { class: "grid-none", role: "row" }, h("div", { role: "gridcell" }, "No rows.")),
      );
    this.space.replaceChildren(...rows);
    this.tell_active();
  }

  private draw_row(i: number, y: number): HTMLElement {
    const row = this.source.row(i);
    const picked = row !== undefined && (this.options.is_picked?.(row) ?? false);
    const element = h("div", {
      class: picked ? "grid-row picked" : "grid-row",
      role: "row",
      "aria-rowindex": i + 2,
      "data-row": i,
      style: { transform: `translateY(${y}px)` },
      ...(this.options.is_picked ? { "aria-selected": String(picked) } : {}),
    });
    this.places.forEach((place, column) => element.append(this.draw_cell(row, place, column, i)));
    return element;
  }

  private draw_cell(
    row: readonly Cell[] | undefined,
    place: number,
    column: number,
    i: number,
  ): HTMLElement {
    const look = this.looks[place]!;
    const cell = row?.[place] ?? null;
    const active = this.active.row === i && this.active.column === column;
    const element = h("div", {
      class: `cell${look.is_number ? " number" : ""}${active ? " active" : ""}`,
      role: "gridcell",
      id: `${this.id}-${i}-${column}`,
      "aria-colindex": column + 1,
      title: row ? look.hint(cell) : "",
    });
    if (!row) return element;
    const own = this.options.render?.(row, look.column, look, i);
    if (own !== undefined)
      element.append(own instanceof Node ? own : document.createTextNode(String(own ?? "")));
    else if (look.column.kind === "share" && typeof cell === "number")
      element.append(share_bar(cell), look.text(cell));
    else element.append(look.text(cell));
    return element;
  }

  private tell_active(): void {
    const { row, column } = this.active;
    const id = row === -1 ? `${this.id}-h-${column}` : `${this.id}-${row}-${column}`;
    if (document.getElementById(id)) this.element.setAttribute("aria-activedescendant", id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  private move(row: number, column: number): void {
    const { total } = this.source;
    this.active = {
      row: Math.max(-1, Math.min(row, total - 1)),
      column: Math.max(0, Math.min(column, this.places.length - 1)),
    };
    if (this.active.row >= 0) {
      const height = this.element.clientHeight - kHead;
      this.element.scrollTop = scroll_to(
        this.active.row,
        this.element.scrollTop,
        height,
        total,
        kRow,
      );
    }
    this.draw_head();
    this.draw();
    const cell = this.element.querySelector<HTMLElement>(".cell.active");
    if (cell) this.reveal_column(cell);
  }

  private reveal_column(cell: HTMLElement): void {
    const { scrollLeft, clientWidth } = this.element;
    if (cell.offsetLeft < scrollLeft) this.element.scrollLeft = cell.offsetLeft;
    const end = cell.offsetLeft + cell.offsetWidth;
    if (end > scrollLeft + clientWidth) this.element.scrollLeft = end - clientWidth;
  }

  private on_key(event: KeyboardEvent): void {
    const { row, column } = this.active;
    const page = Math.max(1, Math.floor((this.element.clientHeight - kHead) / kRow) - 1);
    const last = this.source.total - 1;
    const moves: Record<string, [number, number]> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [Math.max(row - page, 0), column],
      PageDown: [row + page, column],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? last : row, this.places.length - 1],
    };
    const move = moves[event.key];
    if (move && !event.altKey && !event.metaKey) {
      this.move(...move);
    } else if (event.key === "Enter" || event.key === " ") {
      if (row === -1) this.sort_by(column);
      else this.open(row, event.key === "Enter");
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private sort_by(column: number): void {
    const place = this.places[column];
    if (place === undefined || this.options.keeps_order) return;
    this.sort = next_sort(place, this.looks[place]!.column.kind, this.sort);
    this.draw_head();
    this.options.on_sort?.(this.sort);
  }

  private open(i: number, opens: boolean): void {
    const row = this.source.row(i);
    if (!row) return;
    (opens ? (this.options.on_open ?? this.options.on_pick) : this.options.on_pick)?.(
      row,
      this.source.place(i),
      i,
    );
    this.draw();
  }

  private row_of(event: Event): number | null {
    // A click may have drawn the rows anew: what counts is where the pointer is.
    const at =
      event instanceof MouseEvent ? document.elementFromPoint(event.clientX, event.clientY) : null;
    const element = (
      at && this.element.contains(at) ? at : (event.target as Element)
    ).closest<HTMLElement>("[data-row]");
    return element ? Number(element.dataset.row) : null;
  }

  private on_click(event: MouseEvent): void {
    const header = (event.target as Element).closest<HTMLElement>("[data-column]");
    if (header) {
      this.sort_by(Number(header.dataset.column));
      return;
    }
    const row = this.row_of(event);
    if (row === null) return;
    const cell = (event.target as Element).closest(".cell");
    const column = cell?.parentElement ? [...cell.parentElement.children].indexOf(cell) : 0;
    this.active = { row, column: Math.max(column, 0) };
    // No dblclick comes when the first click drew the rows anew: the count of clicks tells it.
    this.open(row, event.detail > 1);
  }
}

function share_bar(value: number): HTMLElement {
  const part = Math.max(0, Math.min(1, value)) * 100;
  return h(
    "span",
    { class: "share-bar", "aria-hidden": "true" },
    h("span", { style: { width: `${part}%` } }),
  );
}
