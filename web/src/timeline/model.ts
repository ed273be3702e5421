// What the timeline shows: profiles one above the other on one axis, their lanes and data, what is
// selected. Drawing and panels read it; the state of the page is kept in the store.

import type { Lane, LaneGroup, Place, Profile } from "../api/types";
import type { SliceId } from "../state/url";
import { is_dark } from "../theme/theme";
import type { Context } from "../views/context";
import { Clock } from "./clock";
import { LaneDataStore } from "./lane_data";
import {
  build_tree,
  group_key,
  lane_key,
  parse_lane_key,
  profile_key,
  type Row,
  type ShownProfile,
  type Tree,
} from "./lane_tree";
import { find_on_other_ranks } from "./other_ranks";
import { PaintCache } from "./paints";
import { complete_detail, type SliceDetail } from "./slice_detail";
import { fit, limit, reveal, type Span } from "./viewport";

export interface Hover {
  row: Row;
  name: string;
  name_id: number;
  p: number;
  text: string[];
  time: number; // Of the page.
}

interface LoadedProfile extends ShownProfile {
  profile: Profile;
  data: LaneDataStore;
  paints: PaintCache;
}

export type ModelEvent = "details" | "view" | "tree" | "data" | "selection" | "hover" | "range";

const kMostUndo = 60;

export class TimelineModel {
  view: Span = { begin: 0, end: 1 };
  whole: Span = { begin: 0, end: 1 };
  tree: Tree = {
    pinned: [],
    rows: [],
    pinned_height: 0,
    height: 0,
    hidden_count: 0,
    lane_count: 0,
  };
  clock = new Clock();
  hover: Hover | null = null;
  detail: SliceDetail | null = null;
  lit: { text: string; matches: (lower: string, name: string) => boolean } | null = null;
  error: unknown = null;
  width = 1000; // px of the lanes.
  private loaded: LoadedProfile[] = [];
  private undo: Span[] = [];
  private readonly listeners = new Set<(event: ModelEvent) => void>();
  private generation = 0;

  constructor(readonly context: Context) {}

  on(listener: (event: ModelEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: ModelEvent): void {
    for (const listener of [...this.listeners]) listener(event);
  }

  get ranks(): number[] {
    const { ranks, p } = this.context.store.state;
    return ranks.length > 0 ? ranks : [p];
  }

  get profiles(): readonly LoadedProfile[] {
    return this.loaded;
  }

  profile(p: number): LoadedProfile | undefined {
    return this.loaded.find((each) => each.p === p);
  }

  // Loads what is to be shown; profiles appear as they are ready.
  async load(): Promise<void> {
    const generation = ++this.generation;
    const { profiles } = this.context;
    const before = new Map(this.loaded.map((each) => [each.p, each]));
    const wanted = this.ranks;
    this.loaded = wanted.flatMap((p) => before.get(p) ?? []);
    this.error = null;
    for (const p of wanted) {
      if (before.has(p)) continue;
      try {
        const profile = await profiles.load(p);
        const groups = await profiles.lanes(p);
        if (generation !== this.generation) return;
        this.loaded.push(this.make(p, profile, groups));
      } catch (error) {
        if (generation !== this.generation) return;
        this.error = error;
      }
      this.loaded.sort((a, b) => wanted.indexOf(a.p) - wanted.indexOf(b.p));
      this.rebuild(true);
    }
    this.rebuild(true);
  }

  private make(p: number, profile: Profile, groups: ShownProfile["groups"]): LoadedProfile {
    const { source, profiles } = this.context;
    const names = profiles.names(p);
    const data = new LaneDataStore(source, p, names, series_counter(groups), () =>
      this.emit("data"),
    );
    const sorted = [...groups].sort((a, b) => a.sort - b.sort);
    return {
      p,
      label: profiles.label(p),
      groups: sorted,
      profile,
      data,
      paints: new PaintCache(names, is_dark()),
    };
  }

  new_theme(): void {
    for (const each of this.loaded)
      each.paints = new PaintCache(this.context.profiles.names(each.p), is_dark());
    this.emit("tree");
  }

  // Lanes and clock anew from the state of the page.
  rebuild(view_too = false): void {
    const { state } = this.context.store;
    this.clock.set(
      this.loaded.map(({ p, profile }) => ({ p, zero_ns: profile.zero_ns })),
      state.offsets,
    );
    this.whole = this.whole_span();
    this.tree = build_tree(this.loaded, { ...state, filter: state.lanes });
    if (view_too) this.take_view();
    this.emit("tree");
  }

  private whole_span(): Span {
    let begin = Infinity;
    let end = -Infinity;
    for (const { p, profile } of this.loaded) {
      begin = Math.min(begin, this.clock.to_page(p, profile.begin));
      end = Math.max(end, this.clock.to_page(p, profile.end));
    }
    return begin < end ? { begin, end } : { begin: 0, end: 1 };
  }

  private take_view(): void {
    const { t } = this.context.store.state;
    this.view = t
      ? limit({ begin: t[0], end: t[1] }, this.whole)
      : fit(this.first_span(), this.whole, 0.02);
    this.emit("view");
  }

  // The chosen step, or all where there are any: samples often begin long before them.
  private first_span(): Span {
    const { step: chosen } = this.context.store.state;
    let begin = Infinity;
    let end = -Infinity;
    for (const { p, profile } of this.loaded) {
      for (const step of profile.steps) {
        if (chosen !== null && step.number !== chosen) continue;
        begin = Math.min(begin, this.clock.to_page(p, step.begin));
        end = Math.max(end, this.clock.to_page(p, step.end));
      }
    }
    return begin < end ? { begin, end } : this.whole;
  }

  // `undoable`: the user may want to come back to the view before.
  show(view: Span, undoable = false): void {
    if (view.begin === this.view.begin && view.end === this.view.end) return;
    if (undoable) this.remember();
    this.view = view;
    this.context.store.set({ t: [view.begin, view.end] });
    this.emit("view");
  }

  remember(): void {
    const last = this.undo[this.undo.length - 1];
    if (last && last.begin === this.view.begin && last.end === this.view.end) return;
    this.undo.push(this.view);
    if (this.undo.length > kMostUndo) this.undo.shift();
  }

  back(): void {
    const before = this.undo.pop();
    if (before) this.show(before);
  }

  reset(): void {
    this.show(fit(this.whole, this.whole, 0.01), true);
  }

  show_step(): void {
    this.show(fit(this.first_span(), this.whole, 0.02), true);
  }

  get range(): Span | null {
    const { range } = this.context.store.state;
    return range ? { begin: range[0], end: range[1] } : null;
  }

  set_range(range: Span | null, lanes: string[] = []): void {
    this.context.store.set({
      range: range ? [range.begin, range.end] : null,
      range_lanes: range ? lanes : [],
    });
    this.emit("range");
  }

  get selected(): SliceId | null {
    return this.context.store.state.slice;
  }

  // Selects a slice, by its place; details follow.
  async select(slice: SliceId | null, shows = false): Promise<void> {
    this.context.store.set({ slice });
    if (!slice) {
      this.detail = null;
      this.emit("selection");
      return;
    }
    this.emit("selection");
    try {
      const parameters = { p: slice.p, lane: slice.lane, event: slice.event };
      const detail = (await this.context.source.json("slice", parameters)) as SliceDetail;
      const now = this.selected;
      if (!now || now.p !== slice.p || now.lane !== slice.lane || now.event !== slice.event) return;
      this.detail = complete_detail(detail, slice.p, slice.lane, slice.event);
      if (shows) this.show_slice();
      void this.find_others(this.detail);
    } catch (error) {
      this.detail = this.drawn_detail(slice);
      if (!this.detail) this.context.toast(error instanceof Error ? error.message : String(error));
      else if (shows) this.show_slice();
    }
    this.emit("selection");
  }

  private async find_others(detail: SliceDetail): Promise<void> {
    const others = await find_on_other_ranks(this, detail);
    if (others.length === 0 || this.detail !== detail) return;
    this.detail = { ...detail, same_on_other_ranks: others };
    this.emit("details");
  }

  // A report holds what is drawn, and no more.
  private drawn_detail({ p, lane, event }: SliceId): SliceDetail | null {
    const profile = this.profile(p);
    const data = profile?.data.get(lane);
    if (!this.context.source.is_report || !profile || data?.kind !== "slices") return null;
    const i = data.event.indexOf(event);
    if (i < 0) return null;
    const { name, category } = profile.paints.get(data.name[i]!);
    const begin = data.start[i]!;
    const duration = data.duration[i]!;
    return {
      p,
      lane_id: lane,
      event,
      lane,
      name,
      category,
      row: data.row[i]!,
      begin,
      duration,
      end: begin + duration,
      arguments: [],
    };
  }

  async go_to(place: Place): Promise<void> {
    const [p, lane, event] = place;
    // At once: lanes that are read anew select what is selected then.
    if (!this.ranks.includes(p))
      this.context.store.set({ ranks: [...this.ranks, p], slice: { p, lane, event } });
    await this.select({ p, lane, event }, true);
  }

  // The selected slice into view: its lane is opened, the time moved as little as needed.
  show_slice(): void {
    const { detail } = this;
    if (!detail) return;
    this.open_lane(detail.p, detail.lane_id);
    this.show(reveal(this.view, this.slice_span(detail), this.whole, this.width), true);
  }

  slice_span(detail: { p: number; begin: number; end: number }): Span {
    return {
      begin: this.clock.to_page(detail.p, detail.begin),
      end: this.clock.to_page(detail.p, detail.end),
    };
  }

  // Whatever hides the lane gives way.
  open_lane(p: number, lane: number): void {
    const key = lane_key(p, lane);
    const { store } = this.context;
    const group = this.profile(p)?.groups.find((each) => each.lanes.some(({ id }) => id === lane));
    if (!group) return;
    const hidden = store.state.hidden.filter(
      (each) => each !== key && each !== group_key(p, group),
    );
    if (hidden.length !== store.state.hidden.length) store.set({ hidden });
    if (!this.find_row(key) && store.state.lanes) store.set({ lanes: "" });
    this.rebuild();
    for (const parent of [profile_key(p), group_key(p, group)]) {
      const row = this.tree.rows.find((each) => each.key === parent);
      if (row && !row.open) {
        store.set({ open: toggled(store.state.open, parent) });
        this.rebuild();
      }
    }
  }

  find_row(key: string): Row | undefined {
    return (
      this.tree.pinned.find((row) => row.key === key) ??
      this.tree.rows.find((row) => row.key === key)
    );
  }

  toggle_open(key: string): void {
    const { store } = this.context;
    store.set({ open: toggled(store.state.open, key) });
    this.rebuild();
  }

  // The lane that tells why the device did nothing, to be shown in its streams too.
  idle_lane(row: Row): Lane | null {
    const id = row.lane?.idle_lane;
    if (id === undefined) return null;
    for (const group of this.profile(row.p)?.groups ?? []) {
      const lane = group.lanes.find((each) => each.id === id);
      if (lane) return lane;
    }
    return null;
  }

  // Lanes of the selected range by profile; all that are shown if none were chosen.
  range_lanes(): Map<number, number[]> {
    const { range_lanes } = this.context.store.state;
    const keys =
      range_lanes.length > 0
        ? range_lanes
        : this.tree.rows.flatMap((row) =>
            row.lane && row.lane.kind !== "counter" ? [row.key] : [],
          );
    const by_profile = new Map<number, number[]>();
    for (const key of keys) {
      const parsed = parse_lane_key(key);
      if (!parsed) continue;
      by_profile.set(parsed.p, [...(by_profile.get(parsed.p) ?? []), parsed.lane]);
    }
    return by_profile;
  }
}

export function series_counter(groups: readonly LaneGroup[]): (lane: number) => number {
  const counts = new Map(
    groups.flatMap((group) =>
      group.lanes.map((lane) => [lane.id, lane.series?.length ?? 1] as const),
    ),
  );
  return (lane) => counts.get(lane) ?? 1;
}

function toggled(list: readonly string[], key: string): string[] {
  return list.includes(key) ? list.filter((each) => each !== key) : [...list, key];
}
