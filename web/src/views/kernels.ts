// Operators and kernels: statistics by type, shape or name, all kernels, durations of one, roofline.

import type { Cell, Place, Table } from "../api/types";
import { ApiError } from "../api/client";
import { histogram } from "../charts/histogram";
import { roofline, type RooflinePoint } from "../charts/roofline";
import { button, h, replace_children } from "../dom/element";
import { literal } from "../tables/table_block";
import { count_of, duration } from "../text/numbers";
import { ask, block_of, find_table } from "./answers";
import type { Context, View } from "./context";
import { sentences, Slot, tab_buttons } from "./parts";

const kTabs = [
  { name: "types", title: "By type" },
  { name: "kernels", title: "All kernels" },
  { name: "mfu", title: "MFU and roofline" },
  { name: "operators", title: "Operators of the host" },
];

const kGroups = [
  { name: "type", title: "Type" },
  { name: "shape", title: "Type and shape" },
  { name: "name", title: "Name" },
  { name: "module", title: "Module" },
];

// The table of all kernels has these columns too, as far as the profile tells.
const kMoreColumns = { with: "module,pmu" };

interface Call {
  lane: number;
  event: number;
  begin: number;
  duration: number;
}

interface HistogramReply {
  name: string;
  count: number;
  median: number;
  p99: number;
  has_outlier: boolean;
  bins: { from: number; to: number; count: number }[];
  longest: Call[]; // The first 50.
  chosen?: number; // Calls of the durations that were asked for,
  slices?: Call[]; // and the longest of them.
}

interface RooflineReply {
  points: (Omit<RooflinePoint, "tflops" | "intensity"> & {
    tflops: number | null;
    intensity: number | null;
  })[];
  peaks: { device: number; fp16_tflops: number | null }[];
  peak_gb_s: number | null;
}

// As the analysis of outliers has it.
const kOutlierFactor = 3;
const kMostCalls = 100; // In a list beside the histogram.

export class KernelsView implements View {
  readonly fills = true;
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "bar" });
  private readonly slot = new Slot(h("div", { class: "fill" }));
  private readonly side = new Slot(h("aside", { class: "side", "aria-label": "Durations" }));

  constructor(private readonly context: Context) {
    this.element = h(
      "div",
      { class: "split" },
      h("div", { class: "split-main" }, this.head, this.slot.element),
      this.side.element,
    );
    this.draw();
  }

  destroy(): void {
    this.slot.stop();
    this.side.stop();
  }

  private get tab(): string {
    const { tab } = this.context.store.state;
    return kTabs.some((each) => each.name === tab) ? tab : "types";
  }

  private draw(): void {
    const { store } = this.context;
    const { tab } = this;
    const group = store.state.group || "type";
    replace_children(
      this.head,
      tab_buttons("Tables of kernels", kTabs, tab, (name) => {
        store.set({ tab: name, sort: "", find: "", pick: "" });
        this.draw();
      }),
      tab === "types" && [
        h("span", { class: "soft" }, "Group by"),
        tab_buttons("Group by", kGroups, group, (name) => {
          store.set({ group: name === "type" ? "" : name, sort: "" });
          this.draw();
        }),
      ],
    );
    this.side.element.classList.toggle("empty", true);
    void this.slot.fill(() => this.table());
    if (store.state.pick && group !== "module")
      this.pick(store.state.pick, tab === "kernels" || group === "name" ? "name" : "type");
  }

  private async table(): Promise<Node[]> {
    const { tab } = this;
    if (tab === "kernels") return this.all_kernels();
    if (tab === "mfu") return this.mfu();
    if (tab === "operators") return this.plain("api_statistic", "operators");
    const group = this.context.store.state.group || "type";
    const parameters = group === "type" ? {} : { by: group };
    const answer = await ask(this.context, "op_statistic", parameters);
    const table = answer.tables[0];
    if (!table) return [sentences(answer.sentences)];
    const key_column = group === "name" || group === "module" ? group : "type";
    const key = table.columns.findIndex((column) => column.key === key_column);
    const block = block_of(this.context, "op_statistic", table, parameters, {
      on_pick: (row) => {
        const text = String(row[key] ?? "");
        if (key_column === "module") this.show_module(text);
        else this.pick(text, key_column === "name" ? "name" : "type");
      },
      is_picked: (row) => String(row[key] ?? "") === this.context.store.state.pick,
    });
    return [sentences(answer.sentences), block.element];
  }

  // Its kernels one by one.
  private show_module(module: string): void {
    this.context.store.set({ tab: "kernels", pick: "", sort: "", find: `kernels:${module}` }, "push");
    this.draw();
  }

  private async all_kernels(): Promise<Node[]> {
    const answer = await ask(this.context, "kernels", kMoreColumns);
    const table = find_table(answer, "kernels");
    if (!table) return [sentences(answer.sentences)];
    const name = table.columns.findIndex((column) => column.key === "name");
    const block = block_of(
      this.context,
      "kernels",
      table,
      kMoreColumns,
      {
        on_pick: (row) => this.pick(String(row[name] ?? ""), "name"),
        on_open: (row, place) => this.go(table, row, place),
      },
    );
    const outliers = find_table(answer, "outliers", "kernel_outliers");
    return [
      sentences([
        ...answer.sentences,
        "Enter or a double click on a row shows it on the timeline.",
      ]),
      block.element,
      ...(outliers && outliers.rows.length > 0
        ? [block_of(this.context, "kernels", outliers, {}, { rows_shown: 5 }).element]
        : []),
    ];
  }

  private go(table: Table, row: readonly Cell[], place: Place | null): void {
    if (place) return this.context.go_to_slice(place);
    const start = row[table.columns.findIndex((column) => column.kind === "moment")];
    const length = row[table.columns.findIndex((column) => column.key === "duration")];
    if (typeof start === "number")
      this.context.go_to_time(this.context.store.state.p, start, start + Number(length ?? 0));
  }

  private async plain(mode: string, name: string): Promise<Node[]> {
    const answer = await ask(this.context, mode);
    const table = find_table(answer, name);
    return [
      sentences(answer.sentences),
      ...(table ? [block_of(this.context, mode, table).element] : []),
    ];
  }

  private async mfu(): Promise<Node[]> {
    const answer = await ask(this.context, "operator_mfu");
    const table = find_table(answer, "mfu");
    if (!table) return [sentences(answer.sentences)];
    const block = block_of(this.context, "operator_mfu", table);
    const picture = await this.roofline((type) => {
      block.set_filter(type);
    });
    return [sentences(answer.sentences), ...picture, block.element];
  }

  private async roofline(pick: (type: string) => void): Promise<Node[]> {
    const { p, step } = this.context.store.state;
    try {
      const reply = (await this.context.source.json("roofline", { p, step })) as RooflineReply;
      const points = reply.points.filter(
        (point): point is RooflinePoint =>
          point.tflops !== null &&
          point.intensity !== null &&
          point.tflops > 0 &&
          point.intensity > 0,
      );
      if (points.length === 0) return [];
      return [roofline(points, reply.peaks[0]?.fp16_tflops ?? null, reply.peak_gb_s, pick)];
    } catch {
      return []; // The table below has what is known.
    }
  }

  // Durations of what was picked, beside the table.
  private pick(name: string, by: "name" | "type"): void {
    const { store } = this.context;
    store.set({ pick: name });
    this.side.element.classList.remove("empty");
    void this.side.fill(async (signal) => {
      const { p, step } = store.state;
      try {
        const reply = (await this.context.source.json(
          "histogram",
          { p, step, [by]: name },
          signal,
        )) as HistogramReply;
        return this.durations(reply, by, name);
      } catch (error) {
        if (by === "type" && error instanceof ApiError && error.code === "not_found")
          return this.kernels_of_type(name);
        throw error;
      }
    });
  }

  private durations(reply: HistogramReply, by: "name" | "type", name: string): HTMLElement {
    const list = h("div", { class: "fill" });
    const marked = [
      { at: reply.median, name: "median" },
      ...(reply.has_outlier ? [{ at: reply.median * kOutlierFactor, name: "outliers from" }] : []),
    ];
    const select = (begin: number, end: number) => void this.list_range(by, name, begin, end, list);
    const outliers = reply.has_outlier
      ? reply.longest.filter((call) => call.duration > reply.median * kOutlierFactor)
      : [];
    replace_children(
      list,
      h(
        "h3",
        {},
        outliers.length > 0
          ? `${count_of(outliers.length, "outlier")}, longest first`
          : "Longest calls",
      ),
      this.calls(outliers.length > 0 ? outliers : reply.longest.slice(0, 20)),
    );
    return h(
      "div",
      { class: "side-body" },
      h("header", {}, h("h2", { class: "details-name" }, name), this.close_button()),
      h(
        "p",
        { class: "soft" },
        `${count_of(reply.count, "call")}. Drag over the bars to list calls of these durations.`,
      ),
      histogram(
        reply.bins.map((bin) => ({ begin: bin.from, end: bin.to, count: bin.count })),
        { label: `Durations of ${name}`, marked, on_select: select },
      ),
      list,
    );
  }

  // A type has kernels of several names: each of them has durations of its own.
  private async kernels_of_type(type: string): Promise<HTMLElement> {
    const parameters = { by: "name", name: `^${literal(type)}$` };
    const answer = await ask(this.context, "op_statistic", parameters);
    const table = answer.tables[0];
    const name = table?.columns.findIndex((column) => column.key === "name") ?? -1;
    const names = name < 0 ? [] : table!.rows.map((row) => String(row[name] ?? ""));
    if (names.length === 1) {
      const { p, step } = this.context.store.state;
      return this.durations(
        (await this.context.source.json("histogram", {
          p,
          step,
          name: names[0],
        })) as HistogramReply,
        "name",
        names[0]!,
      );
    }
    const choose = (each: string) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "link", onclick: () => this.pick(each, "name") },
          each,
        ),
      );
    return h(
      "div",
      { class: "side-body" },
      h("header", {}, h("h2", { class: "details-name" }, type), this.close_button()),
      h(
        "p",
        { class: "soft" },
        `${count_of(names.length, "kernel")} of this type; choose one to see its durations.`,
      ),
      h("ul", { class: "plain" }, names.slice(0, 300).map(choose)),
    );
  }

  private close_button(): HTMLElement {
    return button(
      "Close",
      () => {
        this.context.store.set({ pick: "" });
        this.side.element.classList.add("empty");
      },
      { class: "button quiet" },
    );
  }

  private calls(list: readonly Call[], all = list.length): HTMLElement {
    const { p } = this.context.store.state;
    const shown = list.slice(0, kMostCalls);
    return h(
      "ul",
      { class: "plain" },
      shown
        .map((each) =>
          h(
            "li",
            {},
            h(
              "button",
              {
                type: "button",
                class: "link",
                onclick: () => this.context.go_to_slice([p, each.lane, each.event]),
              },
              duration(each.duration),
            ),
            h("span", { class: "faint" }, ` at ${duration(each.begin)}`),
          ),
        ),
      all > shown.length &&
        h("li", { class: "faint" }, `${count_of(all - shown.length, "shorter call")} more`),
    );
  }

  private async list_range(
    by: "name" | "type",
    name: string,
    begin: number,
    end: number,
    list: HTMLElement,
  ): Promise<void> {
    const { p, step } = this.context.store.state;
    const reply = (await this.context.source.json("histogram", {
      p,
      step,
      [by]: name,
      from: begin,
      to: end,
    })) as HistogramReply;
    const calls = reply.slices ?? [];
    const chosen = reply.chosen ?? calls.length;
    replace_children(
      list,
      h(
        "h3",
        {},
        `${count_of(chosen, "call")} between ${duration(begin)} and ${duration(end)}`,
      ),
      this.calls(calls, chosen),
    );
  }
}
