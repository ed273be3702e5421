// Memory: curves with the least and most of every pixel, blocks alive at a moment, tables.

import type { Answer, Column, Place, Table } from "../api/types";
import { Curve, type CurveSeries } from "../charts/curve";
import { button, h, replace_children } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { bytes, count_of, duration, short_bytes } from "../text/numbers";
import { ask, kFirstRows, stacked } from "./answers";
import { chosen_range } from "./chosen_range";
import { is_compared, other_title } from "./compared_parts";
import type { Context, View } from "./context";
import { card, choice, failure, sentences, Slot } from "./parts";

interface MemoryCurve {
  component: string;
  value: string; // allocated, reserved, active, or a category.
  device: number;
  of?: string; // Whose it is, of what is compared.
  points: [time: number, min: number, max: number, last: number][];
}

interface MemoryReply {
  curves: MemoryCurve[];
}

interface AliveReply {
  count: number;
  bytes: number;
  all_blocks: number;
  blocks: {
    bytes: number;
    pool: string;
    device: number;
    begin: number | null;
    end: number | null;
    owner: string;
    stack?: string[];
    slice?: { lane: number; event: number } | null;
  }[];
}

const kAliveColumns: Column[] = [
  { key: "size", title: "Size", kind: "bytes" },
  { key: "owner", title: "Operator", kind: "text" },
  { key: "pool", title: "Pool", kind: "text" },
  { key: "allocated_at", title: "Allocated at", kind: "moment" },
  { key: "freed_at", title: "Freed at", kind: "moment" },
  { key: "stack", title: "Stack", kind: "text" },
];

const kInRange = "range"; // Blocks of the range alone, in the address.
const kHeight = 290;
// Ticks of the axis: powers of two of bytes.
const kByteSteps = Array.from({ length: 48 }, (_, power) => 2 ** power);
// Curves that stand side by side and have no category of their own.
const kOwnColours = [
  "cube",
  "communication",
  "convolution",
  "mark",
  "vector",
  "aicpu",
  "attention",
  "memcpy",
  "python",
  "wait",
  "framework",
  "cann",
];

export class MemoryView implements View {
  readonly element: HTMLElement;
  private readonly curve: Curve;
  private readonly slot = new Slot(h("div", {}));
  private readonly alive = new Slot(h("div", {}));
  private readonly blocks = new Slot(h("div", {}));
  private readonly note = h("div", { class: "bar" });
  private whole: [number, number] = [0, 1];
  private span: [number, number] = [0, 1];
  private curves: MemoryCurve[] = [];
  private kind = "";
  private device_kind = "NPU";
  private moment: number | null = null;
  private px = 1200;

  constructor(private readonly context: Context) {
    this.curve = new Curve({
      label: "Memory over time; the tables below have the peaks",
      height: kHeight,
      value: bytes,
      axis_value: short_bytes,
      steps: kByteSteps,
      on_click: (time) => this.show_alive(time),
      on_zoom: (begin, end) => void this.zoom([begin, end]).then(() => this.show_blocks()),
      mark: () => this.moment,
    });
    this.element = h(
      "div",
      { class: "cards" },
      card("Memory over time", 12, [this.note, this.curve.element]),
      h("div", { class: "span-all" }, this.alive.element),
      h("div", { class: "span-all" }, this.blocks.element),
      h("div", { class: "span-all" }, this.slot.element),
    );
    void this.load().then(() => this.show_blocks());
    void this.slot.fill(async () => {
      const answer = await ask(context, "memory");
      return [sentences(answer.sentences), stacked(context, "memory", answer)];
    });
  }

  destroy(): void {
    this.curve.destroy();
    this.slot.stop();
    this.alive.stop();
    this.blocks.stop();
  }

  private async load(): Promise<void> {
    const { p, step, pick, group, options } = this.context.store.state;
    this.kind = group;
    try {
      const profile = await this.context.profiles.load(p);
      this.device_kind = profile.device_kind ?? "NPU";
      const chosen = profile.steps.find((each) => each.number === step);
      this.whole = chosen ? [chosen.begin, chosen.end] : [profile.begin, profile.end];
      await this.zoom(zoom_of(options) ?? this.whole);
      if (/^-?\d+$/.test(pick)) this.show_alive(Number(pick));
    } catch (error) {
      replace_children(this.note, failure(error, true));
    }
  }

  private async zoom(span: [number, number]): Promise<void> {
    const { p } = this.context.store.state;
    this.span = span;
    this.context.store.set({
      options: this.is_zoomed ? `zoom=${span.map(Math.round).join("~")}` : "",
    });
    this.px = Math.max(Math.round(this.curve.element.clientWidth) || 1200, 200);
    try {
      const reply = (await this.context.source.json("memory", {
        p,
        t0: Math.floor(span[0]),
        t1: Math.ceil(span[1]),
        px: this.px,
      })) as MemoryReply;
      this.curves = [...reply.curves, ...(await this.other_curves(reply.curves))];
      this.draw();
    } catch (error) {
      this.curve.element.style.display = "none";
      replace_children(this.note, failure(error, true));
    }
  }

  // What is compared, from its begin on: what it has allocated, on the device that is shown.
  private async other_curves(own: readonly MemoryCurve[]): Promise<MemoryCurve[]> {
    const { store, profiles, source } = this.context;
    const { state } = store;
    if (source.is_report || !is_compared(state)) return [];
    try {
      const profile = await profiles.load(state.other!);
      const step = profile.steps.find((each) => each.number === state.other_step);
      const begin = state.other_range?.[0] ?? step?.begin ?? profile.begin;
      const shift = (state.base_range?.[0] ?? this.whole[0]) - begin;
      const { curves } = (await source.json("memory", {
        p: state.other,
        t0: Math.floor(this.span[0] - shift),
        t1: Math.ceil(this.span[1] - shift),
        px: this.px,
      })) as MemoryReply;
      const of = other_title(state, (p) => profiles.label(p));
      const device_of = same_devices(own, curves);
      return curves
        .filter((each) => !kPools.has(each.value) || each.value === "allocated")
        .map((each) => ({
          ...each,
          of,
          device: device_of(each.device),
          points: each.points.map(([time, ...values]) => [time + shift, ...values]),
        }));
    } catch {
      return []; // The tables below say what is missing.
    }
  }

  private get is_zoomed(): boolean {
    return this.span[0] !== this.whole[0] || this.span[1] !== this.whole[1];
  }

  private kinds(): string[] {
    return [...new Set(this.curves.map((each) => group_of(each, this.device_kind)))].sort();
  }

  private draw(): void {
    const kinds = this.kinds();
    if (!kinds.includes(this.kind)) this.kind = kinds[0] ?? "";
    const zoomed = this.is_zoomed;
    replace_children(
      this.note,
      kinds.length > 1 &&
        choice(
          "Curves",
          kinds.map((kind) => ({ value: kind, title: kind })),
          this.kind,
          (kind) => {
            this.kind = kind;
            this.context.store.set({ group: kind });
            this.draw();
          },
        ),
      h("span", { class: "faint" }, "Click: blocks alive at that moment. Drag: zoom."),
      h("span", { class: "spring" }),
      zoomed &&
        button(
          "All of the time",
          () => void this.zoom(this.whole).then(() => this.show_blocks()),
          { class: "button quiet" },
        ),
      zoomed &&
        button(
          "Show on the timeline",
          () => this.context.go_to_time(this.context.store.state.p, ...this.span),
          { class: "button quiet" },
        ),
    );
    this.curve.show(
      merge(
        this.curves.filter((each) => group_of(each, this.device_kind) === this.kind),
        this.span[1],
        (this.span[1] - this.span[0]) / this.px,
      ),
    );
  }

  // What the curves are zoomed to, else what was chosen on the timeline.
  private async range(): Promise<[number, number] | null> {
    if (this.context.source.is_report) return null;
    return this.is_zoomed ? this.span : chosen_range(this.context, this.context.store.state.p);
  }

  private show_blocks(): void {
    const { store, source } = this.context;
    const { p, step, tab } = store.state;
    void this.blocks.fill(async (signal) => {
      const range = await this.range();
      const only_in_range = tab === kInRange && range !== null;
      const parameters = {
        p,
        step,
        ...(only_in_range ? { t0: Math.floor(range[0]), t1: Math.ceil(range[1]) } : {}),
      };
      const answer = (await source.json(
        "memory/blocks",
        { ...parameters, top: kFirstRows },
        signal,
      )) as Answer;
      const table = answer.tables[0];
      if (!table || (table.total_rows === 0 && !only_in_range)) return [];
      const block = new TableBlock(this.context, table, {
        path: "memory/blocks",
        parameters,
        rows_shown: 10,
        p,
      });
      return h(
        "section",
        { class: "card", "aria-label": table.title },
        range && this.range_switch(range),
        block.element,
      );
    }, false);
  }

  private range_switch(range: [number, number]): HTMLElement {
    const { store } = this.context;
    const box = h("input", {
      type: "checkbox",
      checked: store.state.tab === kInRange,
      onchange: () => {
        store.set({ tab: box.checked ? kInRange : "" });
        this.show_blocks();
      },
    });
    const length = duration(range[1] - range[0]);
    return h(
      "label",
      { class: "bar" },
      box,
      h("span", {}, `Only in range: allocated or released from ${duration(range[0])} on for ${length}`),
    );
  }

  private show_alive(time: number): void {
    this.moment = Math.round(time);
    this.context.store.set({ pick: String(this.moment) });
    this.curve.redraw();
    const { p } = this.context.store.state;
    void this.alive.fill(async (signal) => {
      const reply = (await this.context.source.json(
        "memory/alive",
        { p, t: this.moment },
        signal,
      )) as AliveReply;
      const heading = `Blocks alive at ${duration(this.moment ?? 0)}`;
      const note = `${bytes(reply.bytes)} in ${reply.count} of ${count_of(reply.all_blocks, "block")}`;
      const block = new TableBlock(this.context, alive_table(p, reply, heading), {
        rows_shown: 10,
        p,
        note,
      });
      return h("section", { class: "card" }, block.element);
    });
  }
}

function alive_table(p: number, reply: AliveReply, title: string): Table {
  return {
    name: "alive",
    title,
    notes: [],
    usual_rows: 0,
    columns: kAliveColumns,
    rows: reply.blocks.map((block) => [
      block.bytes,
      block.owner,
      block.pool,
      block.begin,
      block.end,
      (block.stack ?? []).join(" ; "),
    ]),
    places: reply.blocks.map((block): Place | null =>
      block.slice ? [p, block.slice.lane, block.slice.event] : null,
    ),
    total_rows: reply.blocks.length,
  };
}

function zoom_of(options: string): [number, number] | null {
  const match = /^zoom=(-?\d+)~(-?\d+)$/.exec(options);
  return match ? [Number(match[1]), Number(match[2])] : null;
}

const kPools = new Set(["allocated", "reserved", "active"]);

// The only device of one side is compared with the only one of the other, whatever their numbers.
function same_devices(
  own: readonly MemoryCurve[],
  other: readonly MemoryCurve[],
): (device: number) => number {
  const devices = (curves: readonly MemoryCurve[]) =>
    [...new Set(curves.map((each) => each.device))].filter((each) => each >= 0);
  const [mine, theirs] = [devices(own), devices(other)];
  const is_one = mine.length === 1 && theirs.length === 1;
  return (device) => (is_one && device === theirs[0] ? mine[0]! : device);
}

// What belongs into one picture.
function group_of(curve: MemoryCurve, device_kind: string): string {
  const device = curve.device < 0 ? "CPU" : `${device_kind} ${curve.device}`;
  if (curve.component === "category") return `By category · ${device}`;
  return kPools.has(curve.value) && /^(PTA|GE|WORKSPACE|PTA\+GE)$/.test(curve.component)
    ? `Allocators · ${device}`
    : `Components · ${device}`;
}

// Curves on one axis of time. A point has the least and most of its pixel, `width` ns; after it the
// curve keeps its last value until its next change.
export function merge(
  curves: readonly MemoryCurve[],
  end: number,
  width: number,
): { time: number[]; series: CurveSeries[] } {
  const moments = new Set([end]);
  for (const { points } of curves) {
    points.forEach(([time], i) => {
      moments.add(time);
      const next = points[i + 1]?.[0] ?? end;
      if (time + width < next) moments.add(time + width);
    });
  }
  const time = [...moments].sort((a, b) => a - b);
  const series = curves.map((each, i) => {
    const min: (number | null)[] = [];
    const max: (number | null)[] = [];
    let at = -1;
    for (const now of time) {
      while (at + 1 < each.points.length && each.points[at + 1]![0] <= now) at++;
      const point = each.points[at];
      const is_own = point?.[0] === now;
      min.push(point ? (is_own ? point[1] : point[3]) : null);
      max.push(point ? (is_own ? point[2] : point[3]) : null);
    }
    const name = each.component === "category" ? each.value : `${each.component} ${each.value}`;
    return {
      name: each.of ? `${each.of}: ${name}` : name,
      category: kOwnColours[i % kOwnColours.length]!,
      min,
      max,
      dash: each.value === "reserved" || each.of !== undefined || i >= kOwnColours.length,
    };
  });
  return { time, series };
}
