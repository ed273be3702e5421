// Modules of the model as a tree, and as nested rectangles; the same for Python functions.

import type { Cell, Table } from "../api/types";
import { Icicle, type IcicleOptions, type StackData, type StackNode } from "../charts/icicle";
import {
  functions_of,
  lay_out,
  sandwich,
  type FunctionSum,
  type TreeNode,
} from "../charts/stack_layout";
import { button, h, replace_children, type Child } from "../dom/element";
import { count_of, duration, share } from "../text/numbers";
import { parse_sort, sort_text } from "../tables/order";
import { csv_header } from "../tables/cells";
import { TreeRows } from "../tables/tree_rows";
import { csv_text, download } from "../text/csv";
import { Grid } from "../tables/grid";
import { ask, find_table, stacked } from "./answers";
import type { Context, View } from "./context";
import { sentences, Slot, tab_buttons } from "./parts";

const kTabs = [
  { name: "tree", title: "Module tree" },
  { name: "modules", title: "Module icicle" },
  { name: "python", title: "Python stacks" },
  { name: "functions", title: "Python functions" },
];

const kOrders = [
  { name: "time", title: "Time order" },
  { name: "heavy", title: "Left heavy" },
  { name: "sandwich", title: "Sandwich" },
];

// A slow module takes much time and reaches little; layers of one structure differ by their spread.
const kTellingColumns = ["module", "total", "self", "share", "mfu", "calls", "spread", "slowest"];

const kClosed = /^closed=([\d,]+)$/; // Rows of the tree, in the address.

const kIndent = 16; // px, as kToggle.
const kToggle = 18;

interface ModulesReply {
  modules: (TreeNode & { calls: number })[];
}

interface StacksReply {
  nodes: TreeNode[];
  left_out: number;
}

export class ModulesView implements View {
  readonly fills = true;
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "bar" });
  private readonly slot = new Slot(h("div", { class: "fill" }));
  private icicles: Icicle[] = [];

  constructor(private readonly context: Context) {
    this.element = h("div", { class: "fill" }, this.head, this.slot.element);
    this.draw();
  }

  destroy(): void {
    this.slot.stop();
    for (const each of this.icicles) each.destroy();
  }

  private draw(): void {
    const { store } = this.context;
    const tab = kTabs.some((each) => each.name === store.state.tab) ? store.state.tab : "tree";
    const has_order = tab === "modules" || tab === "python";
    const order = store.state.group || "heavy";
    for (const each of this.icicles) each.destroy();
    this.icicles = [];
    replace_children(
      this.head,
      tab_buttons("Modules and stacks", kTabs, tab, (name) => {
        store.set({ tab: name, pick: "", sort: "", find: "", options: "" });
        this.draw();
      }),
      has_order &&
        tab_buttons("Order", kOrders, order, (name) => {
          store.set({ group: name, pick: "", options: "" });
          this.draw();
        }),
      has_order && h("span", { class: "faint" }, "Click zooms in, a click beside zooms out."),
    );
    void this.slot.fill(async (signal) => {
      if (tab === "tree") return this.tree();
      if (tab === "functions") return this.functions();
      return order === "sandwich" ? this.sandwich(tab, signal) : this.stacks(tab, order, signal);
    });
  }

  private async tree(): Promise<Child[]> {
    const answer = await ask(this.context, "module_statistic");
    const table = find_table(answer, "modules");
    if (!table) return [sentences(answer.sentences)];
    return [sentences(answer.sentences), this.tree_grid(columns_first(table, kTellingColumns))];
  }

  // Depth is told by the indentation of the name.
  private tree_grid(table: Table): HTMLElement {
    const { store } = this.context;
    const name = table.columns.findIndex((column) => column.key === "module");
    const rows = new TreeRows(table, name);
    const grid: Grid = new Grid(rows, {
      label: table.title,
      hidden_columns: empty_columns(table),
      whole_column: { key: "module", spare: kToggle + kIndent * rows.deepest },
      render: (row, column, _, i) =>
        column.key === "module" ? tree_cell(rows, row, name, i) : undefined,
      on_sort: (sort) => {
        rows.arrange("", sort);
        store.set({ sort: sort_text(table.name, table.columns, sort) });
      },
      on_open: (_, __, i) => rows.toggle(i),
    });
    const sort = parse_sort(store.state.sort, table.name, table.columns);
    grid.set_sort(sort);
    rows.arrange("", sort);
    rows.close(kClosed.exec(store.state.options)?.[1]?.split(",").map(Number) ?? []);
    rows.on_closed = (places) =>
      store.set({ options: places.length > 0 ? `closed=${places.join(",")}` : "" });
    grid.element.addEventListener("click", (event) => {
      const toggle = (event.target as Element).closest<HTMLElement>("[data-toggle]");
      if (toggle) rows.toggle(Number(toggle.dataset.toggle));
    });
    const bar = h(
      "div",
      { class: "bar" },
      h("h2", {}, table.title),
      h("span", { class: "faint" }, count_of(table.rows.length, "module")),
      h(
        "span",
        { class: "faint" },
        "Layers of one structure are one line: spread compares the slowest with the median.",
      ),
      h("span", { class: "spring" }),
      button("Open all", () => rows.set_all(true), { class: "button quiet" }),
      button("Close all", () => rows.set_all(false), { class: "button quiet" }),
      button("Copy", () => void this.copy(table), { class: "button quiet", title: "Copy as CSV" }),
      button("CSV", () => download(`${table.name}.csv`, csv_of(table)), {
        class: "button quiet",
        title: "Download as CSV",
      }),
    );
    grid.limit_width(bar);
    return h("div", { class: "table-block fill" }, bar, grid.element);
  }

  private async copy(table: Table): Promise<void> {
    try {
      await navigator.clipboard.writeText(csv_of(table).join(""));
      this.context.toast(`${count_of(table.rows.length, "row")} copied.`);
    } catch {
      this.context.toast("The browser does not allow copying here; CSV downloads the table.");
    }
  }

  private async functions(): Promise<Child[]> {
    const answer = await ask(this.context, "python");
    return [
      sentences(answer.sentences),
      h("div", { class: "scrolls" }, stacked(this.context, "python", answer, {}, 18)),
    ];
  }

  private async nodes(kind: string, signal: AbortSignal): Promise<StacksReply> {
    const { p, step } = this.context.store.state;
    await this.context.profiles.load(p);
    if (kind === "python")
      return (await this.context.source.json("stacks", { p, step, kind }, signal)) as StacksReply;
    const { modules } = (await this.context.source.json(
      "modules",
      { p, step },
      signal,
    )) as ModulesReply;
    return { nodes: modules.map((module) => ({ ...module, count: module.calls })), left_out: 0 };
  }

  private icicle(data: StackData, kind: string, options: Partial<IcicleOptions> = {}): HTMLElement {
    const label = kind === "python" ? "Python stacks" : "Modules";
    const icicle = new Icicle(data, {
      label,
      category_of: kind === "python" ? python_category : () => "vector",
      ...options,
    });
    this.icicles.push(icicle);
    return h("div", { class: "fill icicle-frame" }, icicle.element);
  }

  private show_sandwich(name: string): void {
    this.context.store.set({ group: "sandwich", pick: name, options: "" });
    this.draw();
  }

  private async stacks(kind: string, order: string, signal: AbortSignal): Promise<Child[]> {
    const reply = await this.nodes(kind, signal);
    if (reply.nodes.length === 0)
      return [h("p", { class: "busy" }, "This profile has no such stacks.")];
    const { p } = this.context.store.state;
    const picked = h("div", { class: "bar picked-line", role: "status" });
    const data = lay_out(reply.nodes, order === "time" ? "time" : "heavy");
    const show = (name: string, node: StackNode) =>
      replace_children(
        picked,
        h("b", {}, name),
        h("span", {}, `${duration(node[3])}, ${share(node[3] / Math.max(data.total, 1))}`),
        h("span", { class: "faint" }, `self ${duration(node[4])}, ${count_of(node[5], "call")}`),
        h("span", { class: "spring" }),
        node[6] !== null &&
          node[7] !== null &&
          button("Show on the timeline", () => this.context.go_to_slice([p, node[6]!, node[7]!]), {
            class: "button quiet",
          }),
        button("Callers and callees", () => this.show_sandwich(name), { class: "button quiet" }),
      );
    return [
      this.icicle(data, kind, {
        on_pick: show,
        kept: this.context.store.state.options,
        on_keep: (options) => this.context.store.set({ options }),
      }),
      picked,
      reply.left_out > 0 &&
        h(
          "p",
          { class: "faint bar" },
          `${count_of(reply.left_out, "call")} too short to be seen left out.`,
        ),
    ];
  }

  private async sandwich(kind: string, signal: AbortSignal): Promise<Child[]> {
    const { nodes } = await this.nodes(kind, signal);
    const { pick } = this.context.store.state;
    const functions = functions_of(nodes);
    const found = functions.find((each) => each.name === pick);
    if (!found)
      return [
        h("p", { class: "bar soft" }, "Choose one to see who calls it and what it calls."),
        this.function_list(functions),
      ];
    const { callers, callees } = sandwich(nodes, pick);
    return [
      h(
        "div",
        { class: "bar" },
        h("b", {}, pick),
        h(
          "span",
          { class: "faint" },
          `${count_of(found.count, "call")}, ${duration(found.total)}, self ${duration(found.self)}`,
        ),
        h("span", { class: "spring" }),
        button("Another one", () => this.show_sandwich(""), { class: "button quiet" }),
      ),
      h("h3", { class: "bar" }, "Callers, above one another"),
      this.icicle(lay_out(callers, "heavy"), kind, { label: "Callers", upwards: true }),
      h("h3", { class: "bar" }, "What it calls"),
      this.icicle(lay_out(callees, "heavy"), kind, { label: "What it calls" }),
    ];
  }

  private function_list(functions: readonly FunctionSum[]): HTMLElement {
    const rows: Cell[][] = functions.map((each) => [each.name, each.count, each.self, each.total]);
    const table: Table = {
      name: "functions",
      title: "Functions",
      notes: [],
      usual_rows: 0,
      rows,
      total_rows: rows.length,
      columns: [
        { key: "name", title: "Name", kind: "text" },
        { key: "count", title: "Calls", kind: "integer" },
        { key: "self", title: "Self", kind: "duration" },
        { key: "total", title: "Total", kind: "duration" },
      ],
    };
    const rows_source = new TreeRows(table, -1);
    return new Grid(rows_source, {
      label: "Functions",
      on_sort: (sort) => rows_source.arrange("", sort),
      on_pick: (row) => {
        this.context.store.set({ pick: String(row[0]) });
        this.draw();
      },
    }).element;
  }
}

// Whose code it is: a module of the model, built in, a library's, or the user's own.
function python_category(name: string): string {
  if (name.startsWith("nn.Module")) return "vector";
  if (name.startsWith("<built-in") || name.startsWith("built-in")) return "framework";
  return /^(torch|torchvision|torch_npu|numpy|multiprocessing|threading|importlib|mindspore|site-packages|<)/.test(
    name,
  )
    ? "python"
    : "cube";
}

function tree_cell(rows: TreeRows, row: readonly Cell[], name: number, i: number): HTMLElement {
  const depth = rows.depth(i);
  const text = String(row[name] ?? "").trimStart();
  return h(
    "span",
    { style: { "padding-left": `${depth * kIndent}px` } },
    rows.has_children(i)
      ? h(
          "button",
          {
            type: "button",
            class: "toggle",
            tabindex: -1,
            "data-toggle": i,
            "aria-expanded": String(rows.is_open(i)),
            "aria-label": rows.is_open(i) ? "Close" : "Open",
          },
          rows.is_open(i) ? "▾" : "▸",
        )
      : h("span", { class: "toggle" }),
    text,
  );
}

// All rows, those that are closed too; names keep the blanks that tell their depth.
function csv_of(table: Table): string[] {
  return [csv_text([table.columns.map(csv_header)]), csv_text(table.rows)];
}

// The same table with these columns before the others.
function columns_first(table: Table, keys: readonly string[]): Table {
  // What a column is compared with stays behind it.
  const rank = (place: number) => {
    const found = keys.indexOf(table.columns[place]!.key.replace(/^compared_|_difference$/g, ""));
    return found < 0 ? keys.length : found;
  };
  const order = table.columns.map((_, place) => place).sort((a, b) => rank(a) - rank(b));
  return {
    ...table,
    columns: order.map((place) => table.columns[place]!),
    rows: table.rows.map((row) => order.map((place) => row[place] ?? null)),
  };
}

// Columns for which this profile has no value say nothing.
function empty_columns(table: Table): ReadonlySet<string> {
  return new Set(
    table.columns
      .filter((_, place) => table.rows.every((row) => row[place] === null || row[place] === 0))
      .map((column) => column.key),
  );
}
