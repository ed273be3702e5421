// The names of the lanes, beside the canvas: open, close, pin, hide, move.

import { h } from "../dom/element";
import { count_of } from "../text/numbers";
import { category_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";
import { open_menu, type MenuEntry } from "../dom/menu";
import { lane_key, slice_count, toggle, type Row } from "./lane_tree";
import type { TimelineModel } from "./model";

export interface PlacedRow {
  row: Row;
  top: number; // On the canvas.
}

export class Gutter {
  readonly element = h("div", { class: "tl-gutter", role: "group", "aria-label": "Lanes" });
  private shown = "";
  private dragged: { key: string; siblings: string[] } | null = null;

  constructor(
    private readonly model: TimelineModel,
    private readonly on_table: (row: Row) => void,
  ) {}

  draw(placed: readonly PlacedRow[], pinned_bottom: number): void {
    const now =
      JSON.stringify(placed.map(({ row, top }) => [row.key, top, row.height, row.open])) +
      is_dark() +
      this.model.context.store.state.pinned.join();
    if (now === this.shown) return;
    this.shown = now;
    const keep_focus = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>(
      "[data-key]",
    )?.dataset.key;
    this.element.replaceChildren(
      ...placed.map(({ row, top }) => this.label(row, top, top < pinned_bottom)),
    );
    if (keep_focus)
      this.element
        .querySelector<HTMLElement>(`[data-key="${CSS.escape(keep_focus)}"] .tl-name`)
        ?.focus();
  }

  private label(row: Row, top: number, pinned: boolean): HTMLElement {
    const { lane } = row;
    const open = () => row.can_open && this.model.toggle_open(row.key);
    const label = h(
      "div",
      {
        class: `tl-label tl-${row.kind}${pinned ? " tl-pinned" : ""}`,
        "data-key": row.key,
        style: {
          top: `${top}px`,
          height: `${row.height}px`,
          "padding-left": `${6 + row.depth * 14}px`,
        },
        ondragover: (event) => this.on_drag_over(event, row),
        ondrop: (event) => this.on_drop(event, row),
      },
      h(
        "button",
        {
          type: "button",
          class: "tl-name",
          title: this.title(row),
          ...(row.can_open ? { "aria-expanded": String(row.open) } : {}),
          onclick: open,
          draggable: "true",
          ondragstart: (event) => this.on_drag(event, row),
        },
        h(
          "span",
          { class: "tl-arrow", "aria-hidden": "true" },
          row.can_open ? (row.open ? "▾" : "▸") : "",
        ),
        lane &&
          h("span", {
            class: "swatch",
            "aria-hidden": "true",
            style: { "--swatch": category_paint(lane.category || "convolution", is_dark()).fill },
          }),
        h("span", { class: "tl-text" }, row.label),
        lane?.hatched &&
          h(
            "span",
            {
              class: "tl-warn",
              title: lane.hatched,
              role: "img",
              "aria-label": "Records were lost here",
            },
            "▨",
          ),
      ),
      h(
        "span",
        { class: "tl-count faint" },
        row.kind === "group" && !row.open
          ? `${row.lanes.length}`
          : lane && lane.kind !== "counter"
            ? String(lane.count)
            : "",
      ),
      h(
        "button",
        {
          type: "button",
          class: "tl-menu",
          "aria-label": `What to do with ${row.label}`,
          title: "Pin, hide, move …",
          onclick: (event: MouseEvent) => this.open_menu(event, row, pinned),
        },
        "⋯",
      ),
    );
    return label;
  }

  private title(row: Row): string {
    const { lane } = row;
    if (!lane) {
      if (!row.group) return row.label;
      return `${row.label}: ${count_of(row.group.lanes.length, "lane")}, ${count_of(slice_count([row.group]), "slice")}`;
    }
    const what =
      lane.kind === "counter"
        ? `${lane.series?.join(", ") ?? "samples"}${lane.unit ? ` in ${lane.unit}` : ""}`
        : count_of(lane.count, "slice") + (lane.rows > 1 ? ` in ${lane.rows} lines` : "");
    return [row.label, what, lane.hatched].filter(Boolean).join("\n");
  }

  private open_menu(event: MouseEvent, row: Row, pinned: boolean): void {
    const { store } = this.model.context;
    const change = (patch: Parameters<typeof store.set>[0]) => {
      store.set(patch);
      this.model.rebuild();
    };
    const entries: MenuEntry[] = [];
    if (row.kind === "lane") {
      const same = this.same_lanes(row);
      entries.push({
        title: pinned || store.state.pinned.includes(row.key) ? "Unpin" : "Pin to the top",
        run: () => change({ pinned: toggle(store.state.pinned, row.key) }),
      });
      if (same.length > 1)
        entries.push({
          title: `Pin this lane of all ${same.length} ranks`,
          run: () => change({ pinned: [...new Set([...store.state.pinned, ...same])] }),
        });
      entries.push({ title: "Show as a table", run: () => this.on_table(row) });
    } else {
      entries.push({
        title: row.open ? "Close" : "Open",
        run: () => this.model.toggle_open(row.key),
      });
    }
    if (row.kind !== "profile") {
      entries.push({
        title: "Hide",
        run: () => change({ hidden: [...store.state.hidden, row.key] }),
      });
      if (!pinned) {
        entries.push({ title: "Move up", run: () => this.move(row, -1) });
        entries.push({ title: "Move down", run: () => this.move(row, 1) });
      }
    }
    open_menu(event.currentTarget as HTMLElement, entries);
  }

  // The lane of the same name in the same group of every profile.
  private same_lanes(row: Row): string[] {
    return this.model.profiles.flatMap(({ p, groups }) =>
      groups
        .filter((group) => group.name === row.group?.name)
        .flatMap((group) =>
          group.lanes
            .filter((lane) => lane.name === row.lane?.name)
            .map((lane) => lane_key(p, lane.id)),
        ),
    );
  }

  // Rows that may change places with `row`.
  private siblings(row: Row): string[] {
    return this.model.tree.rows
      .filter(
        (each) =>
          each.kind === row.kind &&
          each.p === row.p &&
          (row.kind === "group" || each.group?.id === row.group?.id),
      )
      .map((each) => each.key);
  }

  private move(row: Row, by: number): void {
    const siblings = this.siblings(row);
    const place = siblings.indexOf(row.key);
    const before = by < 0 ? siblings[place - 1] : (siblings[place + 2] ?? "");
    if (before === undefined || (by > 0 && place === siblings.length - 1)) return;
    this.put_before(row.key, before);
  }

  private put_before(key: string, before: string): void {
    const { store } = this.model.context;
    store.set({ order: [...store.state.order, `${key}>${before}`] });
    this.model.rebuild();
  }

  private on_drag(event: DragEvent, row: Row): void {
    this.dragged = { key: row.key, siblings: this.siblings(row) };
    event.dataTransfer?.setData("text/plain", row.label);
  }

  private on_drag_over(event: DragEvent, row: Row): void {
    if (this.dragged?.siblings.includes(row.key)) event.preventDefault();
  }

  private on_drop(event: DragEvent, row: Row): void {
    if (!this.dragged || this.dragged.key === row.key) return;
    event.preventDefault();
    const { siblings, key } = this.dragged;
    const down = siblings.indexOf(key) < siblings.indexOf(row.key);
    this.put_before(key, down ? (siblings[siblings.indexOf(row.key) + 1] ?? "") : row.key);
    this.dragged = null;
  }
}
