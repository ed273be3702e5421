// What the profile says, on one screen.

import type { Table } from "../api/types";
import { ApiError } from "../api/client";
import { step_bars } from "../charts/step_bars";
import { button, h, type Child, type Children } from "../dom/element";
import { count_of, duration, exact_duration, integer, share } from "../text/numbers";
import { find_table, value_of } from "./answers";
import { other_title } from "./compared_parts";
import type { Context, View } from "./context";
import { OverviewData } from "./overview_data";
import { OverviewTiles } from "./overview_tiles";
import { capital, card, Slot } from "./parts";
import { parts_of, type StepRow } from "./step_parts";

const kSelfColumns: Table["columns"] = [
  { key: "module", title: "Module", kind: "text" },
  { key: "self", title: "Self", kind: "duration" },
  { key: "share", title: "Share", kind: "share" },
];

interface RanksReply {
  unread: number;
  ranks: {
    p: number;
    rank: number;
    computing: number;
    overlapped: number;
    uncovered: number;
    free: number;
    preparing: number;
  }[];
}

// Analyses are shown as they come: a slow one keeps nobody waiting.
export class Overview implements View {
  readonly element: HTMLElement;
  private readonly slots: Slot[] = [];
  private readonly data: OverviewData;

  constructor(private readonly context: Context) {
    this.data = new OverviewData(context);
    const steps = this.slot(() => this.steps());
    const findings = this.slot(() => this.findings());
    const idle = this.slot(() => this.idle());
    const kernels = this.slot(() => this.kernels());
    const trust = this.slot(() => this.trust());
    this.element = h(
      "div",
      { class: "cards overview" },
      new OverviewTiles(this.data).element,
      h(
        "div",
        { class: "overview-main" },
        card("Where the time of each step goes", 2, steps, {
          ...this.of_ranks(),
          actions: [this.go("Timeline", "timeline")],
        }),
        this.context.session.profiles.length > 1 &&
          card(
            "Ranks side by side",
            2,
            this.slot(() => this.ranks()),
            { note: "The mean step of each rank that was read", actions: this.rank_buttons() },
          ),
        card("Why the device is idle", 1, idle, { actions: [this.go("All causes", "idle")] }),
        card("What the device computes", 1, kernels, {
          actions: [this.go("All kernels", "kernels")],
        }),
        card(
          "Overall metrics",
          1,
          this.slot(() => this.overall()),
          { actions: [this.go("Compare", "compare")] },
        ),
        card(
          "Where the model spends it",
          1,
          this.slot(() => this.modules()),
          { actions: [this.go("All modules", "modules")] },
        ),
        card(
          "What is communicated",
          1,
          this.slot(() => this.communication()),
          { actions: [this.go("All collectives", "communication")] },
        ),
      ),
      h(
        "div",
        { class: "overview-side" },
        card("What to look at first", 1, findings, {
          actions: [this.go("All findings", "advisor")],
        }),
        card("How far to trust it", 1, trust),
      ),
    );
  }

  destroy(): void {
    for (const slot of this.slots) slot.stop();
  }

  private slot(work: () => Promise<Children>): HTMLElement {
    const slot = new Slot(h("div", {}));
    this.slots.push(slot);
    void slot.fill(() =>
      work()
        .then((children) => h("div", {}, children))
        .catch(missing),
    );
    return slot.element;
  }

  private go(title: string, view: string, patch: object = {}): HTMLElement {
    return button(
      title,
      () =>
        this.context.store.set(
          { view, tab: "", sort: "", find: "", pick: "", group: "", ...patch },
          "push",
        ),
      { class: "button quiet leads" },
    );
  }

  private async steps(): Promise<Children> {
    const rows = await this.data.step_table();
    const others = await this.data.other_steps();
    if (rows.length === 0) return h("p", { class: "faint" }, "No steps were recorded.");
    const several = new Set(rows.map((row) => row.device)).size > 1;
    const { profiles, store } = this.context;
    const { device_kind = "NPU" } = await profiles.load(store.state.p);
    const label = (row: StepRow) =>
      `${row.step === null ? "All" : `Step ${row.step}`}${several ? ` · ${device_kind} ${row.device}` : ""}`;
    return step_bars([
      ...rows.map((row) => ({
        label: label(row),
        parts: row.parts,
        ...(row.step === null ? {} : { on_click: () => void this.show_step(row.step!) }),
      })),
      ...others.map((row, i) => ({
        label: label(row),
        parts: row.parts,
        ...(i === 0 ? { heading: other_title(store.state, (p) => profiles.label(p)) } : {}),
      })),
    ]);
  }

  // Bars of equal scale; a click looks at the rank.
  private async ranks(): Promise<Children> {
    const { p, step } = this.context.store.state;
    await this.context.profiles.load(p);
    const reply = (await this.context.source.json("cluster/ranks", { step })) as RanksReply;
    const bars = reply.ranks.map((rank) => ({
      label: this.context.profiles.label(rank.p),
      parts: parts_of({ ...rank, not_overlapped: rank.uncovered }),
      on_click: () => this.context.store.set({ p: rank.p, slice: null, t: null }, "push"),
    }));
    return [
      bars.length > 0 && step_bars(bars),
      reply.unread > 0 &&
        h(
          "p",
          { class: "faint" },
          `${count_of(reply.unread, "rank")} not read yet; “Ranks by steps” reads them.`,
        ),
    ];
  }

  // What computes, what is communicated by group, what is free: a tree whose first level is all.
  private async overall(): Promise<Children> {
    const overall = await this.data.part("overall");
    const whole = overall
      .filter((row) => row.depth === 0)
      .reduce((most, row) => Math.max(most, row.total), 0);
    const shown = overall.filter((row) => row.total > 0);
    if (shown.length === 0) return h("p", { class: "faint" }, "No steps with kernels were recorded.");
    return h(
      "table",
      { class: "shares overall" },
      h(
        "tbody",
        {},
        shown.map((row) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row", style: { "padding-left": `${row.depth * 14}px` } },
              row.name,
            ),
            h("td", { class: "number" }, share(row.total / Math.max(whole, 1))),
            h("td", { class: "number", title: exact_duration(row.total) }, duration(row.total)),
            h("td", { class: "number faint" }, row.count === null ? "" : `× ${integer(row.count)}`),
          ),
        ),
      ),
    );
  }

  private async show_step(number: number): Promise<void> {
    const { p } = this.context.store.state;
    const profile = await this.context.profiles.load(p);
    const step = profile.steps.find((each) => each.number === number);
    if (step) this.context.go_to_time(p, step.begin, step.end);
  }

  private async findings(): Promise<Children> {
    const table = find_table(await this.data.ask("advisor"), "advisor");
    if (!table || table.rows.length === 0)
      return h("p", { class: "faint" }, "The advisor found nothing.");
    const shown = table.rows.slice(0, 5);
    return [
      h(
        "ol",
        { class: "findings" },
        shown.map((_, row) => {
          const severity = String(value_of(table, row, "severity") ?? "");
          const gain = value_of(table, row, "gain");
          return h(
            "li",
            {},
            h("span", { class: `severity ${severity}` }, severity),
            h(
              "div",
              { title: String(value_of(table, row, "action") ?? "") },
              h("p", {}, String(value_of(table, row, "finding") ?? "")),
              h("p", { class: "faint one-line" }, String(value_of(table, row, "action") ?? "")),
            ),
            h(
              "span",
              { class: "number", title: "At most this could be gained" },
              typeof gain === "number" ? duration(gain) : "",
            ),
          );
        }),
      ),
    ];
  }

  private async idle(): Promise<Children> {
    const answer = await this.data.ask("idle");
    const table = find_table(answer, "idle_causes");
    if (!table) return h("p", {}, answer.sentences[0] ?? "The device is never idle.");
    return [
      h("p", { class: "lead" }, answer.sentences[0] ?? ""),
      shares(table, "cause", "total", "idle_share", 6),
    ];
  }

  private async kernels(): Promise<Children> {
    const answer = await this.data.ask("op_statistic");
    const table = find_table(answer, "op_statistic");
    if (!table) return h("p", { class: "faint" }, "No kernels were recorded.");
    return [
      h("p", { class: "lead" }, answer.sentences[0] ?? ""),
      shares(table, "type", "total", "share", 6, "count"),
    ];
  }

  private async modules(): Promise<Children> {
    const answer = await this.data.ask("module_statistic");
    const table = find_table(answer, "modules");
    if (!table)
      return h("p", { class: "faint" }, answer.sentences[0] ?? "No modules were recorded.");
    const self = table.columns.findIndex((column) => column.key === "self");
    const rows = [...table.rows].sort((a, b) => Number(b[self] ?? 0) - Number(a[self] ?? 0));
    const total = table.rows.reduce((sum, row) => sum + Number(row[self] ?? 0), 0);
    const name = table.columns.findIndex((column) => column.key === "module");
    const flat = {
      ...table,
      rows: rows.map((row) => [
        String(row[name] ?? "").trim(),
        row[self] ?? null,
        total > 0 ? Number(row[self] ?? 0) / total : 0,
      ]),
      columns: kSelfColumns,
    };
    return [
      h("p", { class: "lead" }, answer.sentences[0] ?? ""),
      shares(flat, "module", "self", "share", 6),
    ];
  }

  private async communication(): Promise<Children> {
    const answer = await this.data.ask("communication");
    const table = find_table(answer, "communication");
    if (!table) return h("p", { class: "faint" }, "No collectives were recorded.");
    return [
      h("p", { class: "lead" }, answer.sentences.slice(0, 2).join(" ")),
      shares(table, "type", "not_overlapped", "not_overlapped_share", 5, "count"),
    ];
  }

  // One screen tells of one rank: which one, and of how many.
  private of_ranks(): { note?: string } {
    const { session, profiles, store } = this.context;
    const count = session.profiles.length;
    return count < 2 ? {} : { note: `${profiles.label(store.state.p)} of ${count} ranks` };
  }

  // What only all ranks together tell is one click away.
  private rank_buttons(): HTMLElement[] {
    if (this.context.session.profiles.length < 2) return [];
    return [
      this.go("Ranks by steps", "communication", { tab: "steps" }),
      this.go("Who comes last", "communication", { tab: "collectives" }),
      this.go("Pipeline", "communication", { tab: "pipeline" }),
    ];
  }

  private async trust(): Promise<Children> {
    const profile = await this.context.profiles.load(this.context.store.state.p);
    const list: Child[] = [];
    if (profile.losses.length === 0) list.push(h("p", {}, "No records were lost."));
    for (const loss of profile.losses.slice(0, 6)) {
      list.push(
        h(
          "p",
          { class: "loss" },
          h("span", { "aria-hidden": "true" }, "▨ "),
          loss_text(loss.text),
          loss.lane !== undefined && [" ", this.go("Show", "timeline", { lanes: "" })],
        ),
      );
    }
    if (profile.losses.length > 6) {
      const rest = profile.losses
        .slice(6)
        .map((loss) => h("p", { class: "loss" }, loss_text(loss.text)));
      list.push(h("details", {}, h("summary", { class: "faint" }, `${rest.length} more`), rest));
    }
    for (const note of profile.notes) list.push(h("p", { class: "soft" }, note));
    if (profile.simulated) list.push(h("p", { class: "loss" }, "Recorded on a simulated NPU."));
    list.push(
      h(
        "p",
        { class: "faint" },
        "Every number is in a table of its view; its rows lead to their slices on the timeline.",
      ),
    );
    return list;
  }
}

// What a profile does not tell is no news on one screen: the view has all of it.
function missing(error: unknown): HTMLElement {
  if (!(error instanceof ApiError) || !["no_data", "not_in_report"].includes(error.code))
    throw error;
  const first = capital(error.message.split(";")[0]!);
  return h(
    "p",
    { class: "faint", title: error.message },
    first.endsWith(".") ? first : `${first}.`,
  );
}

// The name of a file is enough to know it; its folder is in the hint.
function loss_text(text: string): Child {
  const match = /^(.*) \('(.*)\/([^/]+)'(.*)\)$/s.exec(text);
  if (!match) return text;
  return h(
    "span",
    { title: `${match[2]}/${match[3]}` },
    `${match[1]} `,
    h("span", { class: "mono" }, `${match[3]}${match[4]}`),
  );
}

// The first rows of a table as bars of their share.
function shares(
  table: Table,
  name: string,
  total: string,
  part: string,
  most: number,
  count?: string,
): HTMLElement {
  const rows = table.rows.slice(0, most);
  return h(
    "table",
    { class: "shares" },
    h(
      "tbody",
      {},
      rows.map((_, row) => {
        const value = Number(value_of(table, row, part) ?? 0);
        const ns = Number(value_of(table, row, total) ?? 0);
        return h(
          "tr",
          {},
          h(
            "th",
            { scope: "row", title: String(value_of(table, row, name) ?? "") },
            String(value_of(table, row, name) ?? ""),
          ),
          h(
            "td",
            { class: "bar-cell" },
            h(
              "div",
              { class: "mini-bar", "aria-hidden": "true" },
              h("span", { style: { width: `${Math.min(100, value * 100)}%` } }),
            ),
          ),
          h("td", { class: "number" }, share(value)),
          h("td", { class: "number", title: exact_duration(ns) }, duration(ns)),
          count !== undefined &&
            h(
              "td",
              { class: "number faint" },
              `× ${integer(Number(value_of(table, row, count) ?? 0))}`,
            ),
        );
      }),
    ),
  );
}
