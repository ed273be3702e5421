// The timeline as a view of the page: bar, mini-map, lanes, panel.

import { h, replace_children } from "../dom/element";
import { open_menu } from "../dom/menu";
import { find_binding, is_typing, kTimelineKeys } from "../keys/keymap";
import { on_theme_change } from "../theme/theme";
import type { Command, Context, View } from "../views/context";
import { failure, tab_buttons } from "../views/parts";
import { timeline_actions, type Actions } from "./actions";
import { details_panel } from "./details_panel";
import { EventsPanel } from "./events_panel";
import { FlowLayer } from "./flow_layer";
import { hit_select } from "./hits";
import { group_label, lane_key, slice_count, type Row } from "./lane_tree";
import { marks_panel } from "./marks_panel";
import { MiniMap } from "./mini_map";
import { TimelineModel } from "./model";
import { Pointer } from "./pointer";
import { RangePanel } from "./range_panel";
import { kGutterWidth, Stage } from "./stage";
import { SearchBar } from "./search_bar";
import { SearchPanel } from "./search_panel";
import { toolbar } from "./toolbar";
import { count_of, duration } from "../text/numbers";

const kPanels = [
  { name: "slice", title: "Slice" },
  { name: "range", title: "Range" },
  { name: "search", title: "Search" },
  { name: "lane", title: "Lane" },
  { name: "marks", title: "Marks" },
];

const kClosed = "closed";

export class TimelineView implements View {
  readonly fills = true;
  readonly element: HTMLElement;
  readonly model: TimelineModel;
  private readonly stage: Stage;
  private readonly search: SearchBar;
  private readonly mini: MiniMap;
  private readonly range: RangePanel;
  private readonly events: EventsPanel;
  private readonly found: SearchPanel;
  private readonly flow_layer: FlowLayer;
  private readonly pointer: Pointer;
  private readonly actions: Actions;
  private readonly panel_body = h("div", { class: "tl-panel-body" });
  private readonly panel_head = h("div", { class: "tl-panel-head" });
  private readonly panel = h(
    "section",
    { class: "tl-panel", "aria-label": "Details" },
    this.panel_head,
    this.panel_body,
  );
  private readonly live = h("div", { class: "visually-hidden", "aria-live": "polite" });
  private readonly status = h("div", { class: "tl-status" });
  private readonly bar = h("div", {});
  private readonly mini_label = h("div", {
    class: "tl-mini-label faint",
    style: { width: `${kGutterWidth}px` },
  });
  private panel_name = "slice";
  private panel_open = false; // Until there is something to show.
  private readonly ends: (() => void)[] = [];

  constructor(private readonly context: Context) {
    this.model = new TimelineModel(context);
    this.stage = new Stage(this.model, (row) => this.show_lane(row));
    this.search = new SearchBar(this.model);
    this.mini = new MiniMap(this.model, this.search);
    this.range = new RangePanel(this.model);
    this.events = new EventsPanel(this.model);
    this.found = new SearchPanel(this.model, this.search);
    this.flow_layer = new FlowLayer(this.model, () => this.stage.redraw());
    this.pointer = new Pointer(
      this.model,
      this.stage,
      (x, y, twice) => void this.click(x, y, twice),
      (time) => this.mark(time),
    );
    this.actions = timeline_actions(this.model, this.stage, {
      toggle: () => this.toggle_panel(),
      show: (name) => this.show_panel(name),
    });
    const mini_row = h("div", { class: "tl-mini-row" }, this.mini_label, this.mini.canvas);
    this.element = h(
      "div",
      { class: "timeline" },
      this.bar,
      mini_row,
      this.status,
      this.stage.element,
      this.panel,
      this.live,
    );
    this.search.on_reply = () => {
      this.mini.redraw();
      if (this.panel_name === "search") this.draw_panel();
    };
    this.listen();
    this.draw_bar();
    this.draw_panel();
    void this.load();
  }

  private async load(): Promise<void> {
    const { slice, t, tab, pick } = this.context.store.state;
    await this.model.load();
    if (slice || this.model.detail) await this.model.select(slice, t === null);
    if (slice) this.reveal_selected();
    this.restore_panel(tab, pick);
    if (this.context.store.state.q) await this.search.search();
  }

  // The panel that the address names; otherwise that of what is selected.
  private restore_panel(tab: string, pick: string): void {
    const row = this.model.find_row(pick);
    if (tab === "lane" && row) this.show_lane(row);
    else if (tab !== "lane" && kPanels.some(({ name }) => name === tab)) this.show_panel(tab);
    else if (tab === kClosed) this.close_panel();
    else if (this.model.range) this.show_panel("range");
    else if (!this.model.selected) {
      this.panel_open = false;
      this.draw_panel();
    }
  }

  follow_link(): void {
    void this.load();
  }

  private listen(): void {
    const { store } = this.context;
    this.ends.push(
      this.model.on((event) => this.changed(event)),
      on_theme_change(() => {
        this.stage.new_theme();
        this.model.new_theme();
        this.mini.redraw();
      }),
      store.listen(["p", "ranks"], () => void this.load()),
      store.listen(["lanes", "hidden", "offsets", "pinned"], () => {
        this.model.rebuild();
        this.draw_bar_state();
      }),
      store.listen(["step"], () => {
        this.model.show_step();
        if (this.panel_name === "lane") this.draw_panel();
      }),
      store.listen(["flows"], () => this.draw_bar_state()),
      store.listen(["marks"], () => {
        this.stage.redraw();
        this.mini.redraw();
        if (this.panel_name === "marks") this.draw_panel();
      }),
    );
    const on_key = (event: KeyboardEvent) => this.on_key(event);
    document.addEventListener("keydown", on_key);
    this.ends.push(() => document.removeEventListener("keydown", on_key));
  }

  private changed(event: string): void {
    if (event === "tree") {
      this.stage.fit_space();
      this.draw_status();
      this.draw_bar_state();
    }
    if (event === "selection") this.selection_changed();
    if (event === "details" && this.panel_name === "slice") this.draw_panel();
    if (event === "range") {
      if (this.model.range) this.show_panel("range");
      else if (this.panel_name === "range") this.draw_panel();
    }
    if (event === "view") this.flow_layer.want();
    if (event !== "hover") this.mini.redraw();
    this.stage.redraw();
  }

  private selection_changed(): void {
    const { detail } = this.model;
    if (detail) {
      this.live.textContent = this.describe();
      this.reveal_selected();
    }
    if (this.model.selected && this.panel_name !== "lane" && this.panel_name !== "search")
      this.show_panel("slice");
    else if (this.panel_name === "slice") this.draw_panel();
  }

  // "stream 2, MatMulV2, 346 µs, line 1 of 3".
  private describe(): string {
    const { detail } = this.model;
    if (!detail) return "";
    const row = this.model.find_row(lane_key(detail.p, detail.lane_id));
    const where = row ? row.label : "lane not shown";
    const line =
      row?.lane && row.lane.rows > 1 ? `, line ${detail.row + 1} of ${row.lane.rows}` : "";
    return `${where}, ${detail.name}, ${duration(detail.duration)}${line}, at ${duration(detail.begin)}`;
  }

  private reveal_selected(): void {
    const { detail } = this.model;
    if (!detail) return;
    const row = this.model.find_row(lane_key(detail.p, detail.lane_id));
    if (row) this.stage.reveal_row(row, row.open ? detail.row * 18 : 0);
  }

  private draw_status(): void {
    const { model } = this;
    const count = slice_count(model.profiles.flatMap((profile) => profile.groups));
    this.mini_label.textContent = `All of the time${count > 0 ? ` · ${count_of(count, "slice")}` : ""}`;
    if (model.error) replace_children(this.status, failure(model.error, true));
    else if (model.profiles.length === 0)
      replace_children(
        this.status,
        h("div", { class: "busy", role: "status" }, `Reading ${this.waited_for()} …`),
      );
    else if (model.tree.lane_count === 0)
      replace_children(this.status, h("div", { class: "busy" }, "This profile has no lanes."));
    else replace_children(this.status);
  }

  private waited_for(): string {
    const { ranks, context } = this.model;
    return ranks.map((p) => context.profiles.label(p)).join(", ");
  }

  private draw_bar(): void {
    replace_children(this.bar, toolbar(this.model, this.search.element, this.flow_layer));
  }

  private draw_bar_state(): void {
    const focused = document.activeElement;
    if (this.bar.contains(focused) && focused instanceof HTMLInputElement) {
      this.bar
        .querySelector(".tl-hidden")
        ?.replaceWith(h("span", { class: "tl-hidden faint" }, hidden_text(this.model)));
      return;
    }
    this.draw_bar();
  }

  private show_panel(name: string): void {
    this.panel_name = name;
    this.panel_open = true;
    this.keep_panel();
    this.draw_panel();
  }

  private close_panel(): void {
    this.panel_open = false;
    this.keep_panel();
    this.draw_panel();
  }

  private toggle_panel(): void {
    if (this.panel_open) this.close_panel();
    else this.show_panel(this.panel_name);
  }

  private show_lane(row: Row): void {
    this.events.choose(row);
    this.show_panel("lane");
  }

  private keep_panel(): void {
    if (this.context.store.state.view !== "timeline") return;
    const lane = this.panel_name === "lane" ? this.events.lane_key : "";
    this.context.store.set({ tab: this.panel_open ? this.panel_name : kClosed, pick: lane });
  }

  private draw_panel(): void {
    this.panel.classList.toggle("closed", !this.panel_open);
    replace_children(
      this.panel_head,
      tab_buttons("Panel", kPanels, this.panel_name, (name) => this.show_panel(name)),
      h("span", { class: "spring" }),
      h(
        "button",
        {
          type: "button",
          class: "button quiet",
          "aria-expanded": String(this.panel_open),
          onclick: () => this.toggle_panel(),
        },
        this.panel_open ? "Close  ( q )" : "Open  ( q )",
      ),
    );
    if (!this.panel_open) {
      this.panel_body.replaceChildren();
      return;
    }
    const { panel_name: name } = this;
    if (name === "slice") this.panel_body.replaceChildren(details_panel(this.model));
    else if (name === "range") {
      this.panel_body.replaceChildren(this.range.element);
      void this.range.show();
    } else if (name === "search") {
      this.panel_body.replaceChildren(this.found.element);
      void this.found.show();
    } else if (name === "lane") {
      this.panel_body.replaceChildren(this.events.element);
      void this.events.show();
    } else this.panel_body.replaceChildren(marks_panel(this.model));
  }

  private async click(x: number, y: number, twice: boolean): Promise<void> {
    const slice = await hit_select(this.model, this.stage, x, y);
    if (slice === undefined) return;
    await this.model.select(slice);
    if (twice && this.model.detail) {
      this.model.set_range(this.model.slice_span(this.model.detail));
    }
    const cause = this.model.detail?.cause;
    if (twice && cause?.culprit && slice)
      await this.model.go_to([cause.culprit.p ?? slice.p, cause.culprit.lane, cause.culprit.event]);
  }

  private mark(time: number): void {
    const { store } = this.context;
    store.set({ marks: [...store.state.marks, { begin: time, end: time, name: "" }] });
  }

  private on_key(event: KeyboardEvent): void {
    if (!this.element.isConnected || event.defaultPrevented || is_typing(event.target)) return;
    if ((event.target as HTMLElement).closest?.("[role=grid], dialog, [role=menu]")) return;
    const on_button = (event.target as HTMLElement).closest?.("button, a, select");
    const binding = find_binding(event, kTimelineKeys);
    if (!binding || (event.repeat && !binding.repeats)) return;
    if (on_button && ["enter", " "].includes(event.key.toLowerCase())) return;
    event.preventDefault();
    this.actions[binding.action]?.();
  }

  focus_search(): void {
    this.search.field.focus();
    this.search.field.select();
  }

  commands(): Command[] {
    const lanes = this.model.profiles.flatMap(({ p, label, groups }) =>
      groups.flatMap((group) =>
        group.lanes.map((lane) => ({
          title: `${group_label(group)}: ${lane.name}`,
          group: this.model.profiles.length > 1 ? `Lane of ${label}` : "Lane",
          run: () => {
            this.model.open_lane(p, lane.id);
            const row = this.model.find_row(lane_key(p, lane.id));
            if (row) this.stage.reveal_row(row);
            this.stage.canvas.focus();
          },
        })),
      ),
    );
    const actions = kTimelineKeys.map((binding) => ({
      title: binding.help,
      group: "Timeline",
      keys: binding.keys[0]!,
      run: () => this.actions[binding.action]?.(),
    }));
    return [...actions, ...lanes];
  }

  shown(): void {
    if (this.panel_open) this.keep_panel();
    this.stage.redraw();
    this.mini.redraw();
  }

  destroy(): void {
    for (const end of this.ends) end();
    this.pointer.stop();
  }
}

function hidden_text(model: TimelineModel): string {
  const { hidden_count } = model.tree;
  return hidden_count > 0 ? `${hidden_count} hidden` : "";
}

export { open_menu };
