// Communication of one rank, and what only several ranks together tell: ranks by steps, links,
// collectives side by side.

import type { Parameters } from "../api/client";
import type { Table } from "../api/types";
import { heat_map, type HeatCell } from "../charts/heat_map";
import type { HeatScale } from "../charts/heat_scale";
import { rank_rows } from "../charts/rank_rows";
import { button, h, replace_children, type Child } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { duration, exact_duration, fixed, real, share, short_duration } from "../text/numbers";
import { ask_all_ranks } from "./all_ranks";
import { ask, stacked } from "./answers";
import {
  collectives_table,
  kStepMetrics,
  parallel_grid,
  step_grid,
  type Collective,
  type Latecomer,
  type LinkGroup,
  type LinkRow,
  type ParallelGrid,
  type RankName,
  type RankRow,
  type StepGrid,
  type StepMetric,
  type StepRow,
} from "./cluster_data";
import type { Context, View } from "./context";
import { card, choice, sentences, Slot, tab_buttons } from "./parts";
import { pipeline_cards } from "./pipeline";
import type { PipelineReply } from "./pipeline_data";

interface CollectivesReply {
  latecomers: Latecomer[];
  total: number;
  collectives: Collective[];
}

const kLinkMetrics = [
  { name: "gb_s", title: "Bandwidth, GB/s" },
  { name: "size_mb", title: "Size, MB" },
  { name: "time_ms", title: "Time, ms" },
] as const;

type LinkMetric = (typeof kLinkMetrics)[number]["name"];

export class CommunicationView implements View {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "bar" });
  private readonly slot = new Slot(h("div", {}));

  constructor(private readonly context: Context) {
    this.element = h("div", { class: "page-body" }, this.head, this.slot.element);
    this.draw();
  }

  destroy(): void {
    this.slot.stop();
  }

  private readonly name: RankName = ({ p }) => this.context.profiles.label(p);

  private get several(): boolean {
    return this.context.session.profiles.length > 1;
  }

  private get tabs(): { name: string; title: string }[] {
    return [
      { name: "rank", title: this.several ? "This rank" : "Collectives" },
      { name: "links", title: "Links" },
      { name: "pipeline", title: "Pipeline" },
      ...(this.several
        ? [
            { name: "steps", title: "Ranks by steps" },
            { name: "grid", title: "Parallel grid" },
            { name: "collectives", title: "Collectives of all ranks" },
          ]
        : []),
    ];
  }

  private draw(): void {
    const { store } = this.context;
    const tab = this.tabs.find((each) => each.name === store.state.tab)?.name ?? "rank";
    replace_children(
      this.head,
      tab_buttons("Communication", this.tabs, tab, (name) => {
        store.set({ tab: name, sort: "", find: "", group: "", pick: "" });
        this.draw();
      }),
    );
    void this.slot.fill((signal) => {
      if (tab === "steps") return this.steps(signal);
      if (tab === "grid") return this.grid(signal);
      if (tab === "links") return this.links(signal);
      if (tab === "pipeline") return this.pipeline(signal);
      if (tab === "collectives") return this.collectives(signal);
      return this.rank();
    });
  }

  private async rank(): Promise<Child[]> {
    const answer = await ask(this.context, "communication");
    return [sentences(answer.sentences), stacked(this.context, "communication", answer)];
  }

  private all_ranks(path: string, parameters: Parameters, signal: AbortSignal): Promise<unknown> {
    return ask_all_ranks(this.context, this.slot.element, path, parameters, signal);
  }

  private async steps(signal: AbortSignal): Promise<Child[]> {
    const { rows, scales } = (await this.all_ranks("cluster/steps", {}, signal)) as {
      rows: StepRow[];
      scales: Record<StepMetric, HeatScale>;
    };
    const grid = step_grid(rows, this.name);
    const { place, chooser } = this.by_metric((metric) =>
      this.step_map(grid, metric, scales[metric]),
    );
    return [
      h(
        "div",
        { class: "cards" },
        card("Ranks by steps", 12, place, {
          actions: [chooser],
          note: "The fuller the colour, the longer; what differs no more than steps of one rank do has one colour. A slow rank computes longer, or waits less, than its like. A cell leads to its step.",
        }),
      ),
    ];
  }

  // What is drawn for the metric that the state has, and who chooses another.
  private by_metric(draw: (metric: StepMetric) => HTMLElement) {
    const place = h("div", {});
    const show = (metric: StepMetric) => place.replaceChildren(draw(metric));
    const { group } = this.context.store.state;
    // Ranks wait for each other, so their steps are equally long: the slow one computes longer.
    const first = kStepMetrics.find((each) => each.name === group)?.name ?? "computing";
    show(first);
    const chooser = choice(
      "Metric",
      kStepMetrics.map((each) => ({ value: each.name, title: each.title })),
      first,
      (name) => {
        this.context.store.set({ group: name });
        show(name as StepMetric);
      },
    );
    return { place, chooser };
  }

  private step_map(grid: StepGrid, metric: StepMetric, scale: HeatScale): HTMLElement {
    const title = kStepMetrics.find((each) => each.name === metric)!.title;
    const cell = (row: StepRow | null): HeatCell => {
      if (!row) return { value: null, text: "–", hint: "not recorded" };
      const value = row[metric];
      return {
        value,
        text: short_duration(value),
        hint: `${this.name(row)}, step ${row.step}, ${title}: ${exact_duration(value)}`,
        on_click: () => void this.go(row.p, row.step),
      };
    };
    return heat_map({
      label: `${title} of each rank and step`,
      corner: "rank \\ step",
      rows: grid.ranks.map((rank) => rank.label),
      columns: grid.steps.map(String),
      cells: grid.rows.map((row) => row.map(cell)),
      scale,
    });
  }

  // Ranks by the groups that they are in.
  private async grid(signal: AbortSignal): Promise<Child[]> {
    const { step } = this.context.store.state;
    const { ranks } = (await this.all_ranks("cluster/ranks", { step }, signal)) as {
      ranks: RankRow[];
    };
    const grid = parallel_grid(ranks);
    if (grid.rows.length === 0)
      return [
        h(
          "p",
          { class: "busy" },
          "These profiles do not tell of groups for tensor, context, data or pipeline parallelism (parallel_group_info in profiler_metadata.json).",
        ),
      ];
    const { place, chooser } = this.by_metric((metric) => this.grid_map(grid, metric));
    return [
      h(
        "div",
        { class: "cards" },
        card("Parallel grid", 12, place, {
          actions: [chooser],
          note: "Stages of the pipeline from above to below, groups side by side. A step of each rank, the mean of those shown; a cell leads to its rank.",
        }),
      ),
    ];
  }

  private grid_map(grid: ParallelGrid, metric: StepMetric): HTMLElement {
    const { title } = kStepMetrics.find((each) => each.name === metric)!;
    const cell = ([rank, ...others]: RankRow[]): HeatCell => {
      if (!rank) return { value: null, text: "–", hint: "not recorded" };
      const more = others.length > 0 ? `, and ${others.length} more in this place` : "";
      return {
        value: rank[metric],
        text: `${rank.rank}: ${short_duration(rank[metric])}`,
        hint: `${this.name(rank)}, ${title}: ${exact_duration(rank[metric])}${more}`,
        on_click: () => this.context.store.set({ p: rank.p, view: "overview", tab: "", group: "" }, "push"),
      };
    };
    return heat_map({
      label: `${title} of each rank by its groups`,
      corner: "rank: time",
      rows: grid.rows,
      columns: grid.columns,
      cells: grid.cells.map((row) => row.map(cell)),
    });
  }

  private async go(p: number, number: number): Promise<void> {
    const profile = await this.context.profiles.load(p);
    const step = profile.steps.find((each) => each.number === number);
    if (step) this.context.go_to_time(p, step.begin, step.end);
  }

  private async pipeline(signal: AbortSignal): Promise<Child[]> {
    const { step, pick } = this.context.store.state;
    const parameters = { step, pipeline: /^\d+$/.test(pick) ? pick : undefined };
    const reply = await this.all_ranks("cluster/pipeline", parameters, signal);
    return pipeline_cards(this.context, reply as PipelineReply, (place) => {
      this.context.store.set({ pick: String(place) });
      this.draw();
    });
  }

  private async links(signal: AbortSignal): Promise<Child[]> {
    const { step } = this.context.store.state;
    const { links: all, groups } = (await this.all_ranks("cluster/links", { step }, signal)) as {
      links: LinkRow[];
      groups: LinkGroup[];
    };
    if (all.length === 0)
      return [
        h(
          "p",
          { class: "busy" },
          "No transfers between ranks were recorded (profiler level 1 records them).",
        ),
      ];
    // Ranks of one group are not those of another: a matrix is of one group.
    const { store } = this.context;
    const { group, pick, options } = store.state;
    const chosen = groups.find((each) => each.id === options) ?? groups[0]!;
    const links = all.filter((link) => link.group === chosen.id);
    const kinds = [...new Set(links.map((link) => link.transport))];
    let kind =
      kinds.find((each) => each === group) ??
      kinds.find((each) => each !== "LOCAL") ??
      kinds[0] ??
      "";
    let metric: LinkMetric = kLinkMetrics.find((each) => each.name === pick)?.name ?? "gb_s";
    const place = h("div", {});
    const show = () => place.replaceChildren(link_map(links, kind, metric));
    show();
    const actions = [
      groups.length > 1 &&
        choice(
          "Communication group",
          groups.map((each) => ({ value: each.id, title: `Group ${each.name}` })),
          chosen.id,
          (id) => {
            store.set({ options: id });
            this.draw();
          },
        ),
      tab_buttons(
        "Transport",
        kinds.map((each) => ({ name: each, title: each })),
        kind,
        (name) => {
          kind = name;
          store.set({ group: name });
          show();
        },
      ),
      tab_buttons("Metric", kLinkMetrics, metric, (name) => {
        metric = name as LinkMetric;
        store.set({ pick: name });
        show();
      }),
    ];
    const note = `Group ${chosen.name}. Rows send, columns receive.${chosen.is_global ? "" : " Ranks are counted within the group."}`;
    return [
      h("div", { class: "cards" }, card("Links between ranks", 12, place, { actions, note })),
      this.link_table(links),
    ];
  }

  private link_table(links: readonly LinkRow[]): HTMLElement {
    const table: Table = {
      name: "links",
      title: "All links",
      notes: [],
      usual_rows: 0,
      total_rows: links.length,
      columns: [
        { key: "src", title: "From rank", kind: "integer" },
        { key: "dst", title: "To rank", kind: "integer" },
        { key: "transport", title: "Transport", kind: "text" },
        { key: "size", title: "Size", kind: "real", unit: "MB" },
        { key: "time", title: "Time", kind: "real", unit: "ms" },
        { key: "bandwidth", title: "Bandwidth", kind: "real", unit: "GB/s" },
      ],
      rows: links.map((link) => [
        link.from,
        link.to,
        link.transport,
        link.size_mb,
        link.time_ms,
        link.gb_s,
      ]),
    };
    return h(
      "div",
      { class: "stacked" },
      h(
        "section",
        { class: "card" },
        new TableBlock(this.context, table, { rows_shown: 14 }).element,
      ),
    );
  }

  private async collectives(signal: AbortSignal): Promise<Child[]> {
    const { step } = this.context.store.state;
    const reply = (await this.all_ranks(
      "cluster/collectives",
      { step },
      signal,
    )) as CollectivesReply;
    const { collectives, latecomers } = reply;
    if (collectives.length === 0)
      return [h("p", { class: "busy" }, "No collectives were recorded.")];
    const picture = h("div", {});
    const show = (each: Collective) => {
      this.context.store.set({ pick: key_of(each) });
      picture.replaceChildren(this.one_collective(each));
    };
    const { pick } = this.context.store.state;
    const picked = collectives.find((each) => key_of(each) === pick);
    picture.append(this.one_collective(picked ?? latecomers[0]?.longest ?? collectives[0]!));
    const block = new TableBlock(this.context, collectives_table(collectives, reply.total, this.name), {
      rows_shown: 14,
      on_pick: (row) => {
        const found = collectives.find(
          (each) => each.number === row[2] && each.group === row[1] && each.type === row[0],
        );
        if (found) show(found);
      },
    });
    return [
      h(
        "div",
        { class: "cards" },
        card("Who comes last", 4, latecomer_bars(latecomers, show, this.name), {
          note: "The others wait for it.",
        }),
        card("One collective on every rank", 8, picture, {
          note: "On one clock; the last to come decides. A bar leads to the timeline.",
        }),
      ),
      h("div", { class: "stacked" }, h("section", { class: "card" }, block.element)),
    ];
  }

  private one_collective(collective: Collective): HTMLElement {
    const rows = collective.ranks.map((each) => ({
      label: this.name(each),
      begin: each.at,
      length: each.length,
      hint: `${this.name(each)}: begins ${duration(each.at)} after the first, takes ${duration(each.length)}`,
      ...(each.lane !== undefined && each.event !== undefined
        ? { on_click: () => this.context.go_to_slice([each.p, each.lane!, each.event!]) }
        : {}),
    }));
    return h(
      "div",
      {},
      h(
        "p",
        { class: "lead" },
        `${collective.type} number ${collective.number} of ${collective.group}`,
      ),
      rank_rows(rows),
    );
  }
}

function key_of({ type, group, number }: Collective): string {
  return `${type} ${number} ${group}`;
}

function latecomer_bars(
  list: readonly Latecomer[],
  show: (longest: Collective) => void,
  name: RankName,
): HTMLElement {
  const total = list.reduce((sum, each) => sum + each.waited, 0);
  if (total === 0) return h("p", { class: "faint" }, "No rank keeps others waiting.");
  return h(
    "table",
    { class: "shares" },
    h(
      "tbody",
      {},
      list.slice(0, 16).map((each) =>
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row" },
            button(name(each), () => show(each.longest), {
              class: "link",
              title: "Show the collective that the others waited longest for",
            }),
          ),
          h(
            "td",
            { class: "bar-cell" },
            h(
              "div",
              { class: "mini-bar", "aria-hidden": "true" },
              h("span", { style: { width: `${(each.waited / total) * 100}%` } }),
            ),
          ),
          h("td", { class: "number" }, share(each.waited / total)),
          h("td", { class: "number" }, duration(each.waited)),
          h("td", { class: "number faint" }, `× ${each.times}`),
        ),
      ),
    ),
  );
}

function link_map(links: readonly LinkRow[], kind: string, metric: LinkMetric): HTMLElement {
  const ranks = [...new Set(links.flatMap((link) => [link.from, link.to]))].sort((a, b) => a - b);
  const by_pair = new Map(
    links
      .filter((link) => link.transport === kind)
      .map((link) => [`${link.from}.${link.to}`, link]),
  );
  const cell = (from: number, to: number): HeatCell => {
    const link = by_pair.get(`${from}.${to}`);
    if (!link) return { value: null, text: "", hint: "nothing was sent" };
    const value = link[metric];
    return {
      value,
      text: real(Number(fixed(value, 3).replaceAll("\u202f", ""))),
      hint: `${from} to ${to} over ${link.transport}: ${real(link.size_mb)} MB in ${real(link.time_ms)} ms, ${real(link.gb_s)} GB/s`,
    };
  };
  return heat_map({
    label: `${kind}: ${metric} from rank to rank`,
    corner: "from \\ to",
    rows: ranks.map(String),
    columns: ranks.map(String),
    cells: ranks.map((from) => ranks.map((to) => cell(from, to))),
  });
}
