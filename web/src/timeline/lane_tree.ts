// Which lanes are shown, in which order, how high: from the lanes of the profiles and what the user
// opened, pinned, hid, moved and filtered. Pure.

import type { Lane, LaneGroup } from "../api/types";

export interface ShownProfile {
  p: number;
  label: string;
  groups: LaneGroup[];
}

export interface TreeChoices {
  open: readonly string[]; // Keys that are not as they usually are.
  pinned: readonly string[];
  hidden: readonly string[];
  order: readonly string[]; // "key>before", "" = last.
  filter: string;
}

export interface Row {
  key: string;
  kind: "profile" | "group" | "lane";
  p: number;
  label: string;
  depth: number;
  open: boolean; // Lanes: all their rows are shown; else a thumbnail.
  can_open: boolean;
  group?: LaneGroup;
  lane?: Lane;
  lanes: Lane[]; // What is drawn: of a closed group, all lanes.
  y: number;
  height: number;
}

export interface Tree {
  pinned: Row[]; // y from 0 on.
  rows: Row[]; // y from 0 on.
  pinned_height: number;
  height: number;
  hidden_count: number;
  lane_count: number;
}

export const kHeaderHeight = 26;
export const kClosedHeight = 26;
export const kRowHeight = 18;
export const kCounterHeight = 46;
export const kGapHeight = 5;
const kLaneGap = 4;
// Lanes with more rows begin as thumbnails.
const kUsualRows = 10;

export function profile_key(p: number): string {
  return `r${p}`;
}

export function group_key(p: number, group: LaneGroup): string {
  return `g${p}.${group.id}`;
}

// Parts of idle time are told by us: no slices of the profile.
export function slice_count(groups: readonly LaneGroup[]): number {
  return groups
    .flatMap((group) => group.lanes)
    .reduce((sum, lane) => sum + (lane.kind === "slices" ? lane.count : 0), 0);
}

export function lane_key(p: number, lane: number): string {
  return `${p}.${lane}`;
}

export function parse_lane_key(key: string): { p: number; lane: number } | null {
  const match = /^(\d+)\.(\d+)$/.exec(key);
  return match ? { p: Number(match[1]), lane: Number(match[2]) } : null;
}

export function move_before<T>(
  items: readonly T[],
  key_of: (item: T) => string,
  order: readonly string[],
): T[] {
  const result = [...items];
  for (const move of order) {
    const [key, before] = move.split(">");
    const from = result.findIndex((item) => key_of(item) === key);
    if (from < 0) continue;
    const to = before === "" ? result.length : result.findIndex((item) => key_of(item) === before);
    if (to < 0) continue;
    const [item] = result.splice(from, 1);
    result.splice(to > from ? to - 1 : to, 0, item!);
  }
  return result;
}

// Below the slices of a stream is room for its gaps and their causes: no slice covers them there.
export function lane_foot(lane: Lane | undefined): number {
  return lane?.idle_lane === undefined ? 0 : kGapHeight + 1;
}

function lane_height(lane: Lane, open: boolean): number {
  if (lane.kind === "counter") return open ? kCounterHeight : kClosedHeight;
  const height = open ? Math.max(lane.rows, 1) * kRowHeight + kLaneGap : kClosedHeight;
  return height + lane_foot(lane);
}

// Of one line of slices in a closed lane.
export function closed_line_height(row: Row): number {
  return (row.height - lane_foot(row.lane) - 6) / Math.max(row.lane?.rows ?? 1, 1);
}

// Words in any order, each somewhere in the name of the lane or of its group.
export function matches_filter(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

class Builder {
  readonly rows: Row[] = [];
  hidden_count = 0;
  lane_count = 0;
  private readonly open: Set<string>;
  private readonly hidden: Set<string>;

  constructor(
    private readonly choices: TreeChoices,
    private readonly several: boolean,
  ) {
    this.open = new Set(choices.open);
    this.hidden = new Set(choices.hidden);
  }

  profile({ p, label, groups }: ShownProfile): void {
    const key = profile_key(p);
    const open = this.is_open(key, true);
    if (this.several) {
      this.rows.push({
        key,
        kind: "profile",
        p,
        label,
        depth: 0,
        open,
        can_open: true,
        lanes: [],
        y: 0,
        height: kHeaderHeight,
      });
      if (!open) return;
    }
    for (const group of move_before(groups, (each) => group_key(p, each), this.choices.order))
      this.group(p, group);
  }

  lane_row(p: number, group: LaneGroup, lane: Lane, label: string, depth: number): Row {
    const key = lane_key(p, lane.id);
    const can_open = lane.kind === "counter" || lane.rows > 1;
    const open = !can_open || this.is_open(key, lane.kind === "counter" || lane.rows <= kUsualRows);
    return {
      key,
      kind: "lane",
      p,
      label,
      depth,
      open,
      can_open,
      group,
      lane,
      lanes: [lane],
      y: 0,
      height: lane_height(lane, open),
    };
  }

  private is_open(key: string, usually: boolean): boolean {
    return this.open.has(key) !== usually;
  }

  private group(p: number, group: LaneGroup): void {
    const key = group_key(p, group);
    this.lane_count += group.lanes.length;
    if (this.hidden.has(key)) {
      this.hidden_count += group.lanes.length;
      return;
    }
    const { filter } = this.choices;
    const lanes = move_before(
      group.lanes,
      (lane) => lane_key(p, lane.id),
      this.choices.order,
    ).filter((lane) => {
      if (filter && !matches_filter(`${group.label} ${group.name} ${lane.name}`, filter))
        return false;
      if (!this.hidden.has(lane_key(p, lane.id))) return true;
      this.hidden_count++;
      return false;
    });
    if (lanes.length === 0) return;
    const open = filter !== "" || this.is_open(key, group_is_usually_open(group));
    const depth = this.several ? 1 : 0;
    this.rows.push({
      key,
      kind: "group",
      p,
      label: group_label(group),
      depth,
      open,
      can_open: true,
      group,
      lanes: open ? [] : lanes,
      y: 0,
      height: kHeaderHeight,
    });
    if (!open) return;
    for (const lane of lanes) this.rows.push(this.lane_row(p, group, lane, lane.name, depth + 1));
  }
}

export function group_label(group: LaneGroup): string {
  return group.label && group.label !== group.name ? `${group.name} · ${group.label}` : group.name;
}

// Samples (frequencies, memory, links) are looked at when they are asked for.
export function group_is_usually_open(group: LaneGroup): boolean {
  return group.lanes.some((lane) => lane.kind !== "counter") && group.lanes.length <= 40;
}

function place(rows: Row[]): number {
  let y = 0;
  for (const row of rows) {
    row.y = y;
    y += row.height;
  }
  return y;
}

function pinned_rows(
  profiles: readonly ShownProfile[],
  choices: TreeChoices,
  builder: Builder,
): Row[] {
  const several = profiles.length > 1;
  return choices.pinned.flatMap((key) => {
    for (const { p, label, groups } of profiles) {
      for (const group of groups) {
        const lane = group.lanes.find((each) => lane_key(p, each.id) === key);
        if (lane)
          return [
            builder.lane_row(p, group, lane, several ? `${label} · ${lane.name}` : lane.name, 0),
          ];
      }
    }
    return [];
  });
}

export function build_tree(profiles: readonly ShownProfile[], choices: TreeChoices): Tree {
  const builder = new Builder(choices, profiles.length > 1);
  for (const profile of profiles) builder.profile(profile);
  const pinned = pinned_rows(profiles, choices, builder);
  const pinned_height = place(pinned);
  const height = place(builder.rows);
  const { rows, hidden_count, lane_count } = builder;
  return { pinned, rows, pinned_height, height, hidden_count, lane_count };
}

// Rows that overlap [top, bottom) of the scrolled part.
export function rows_between(rows: readonly Row[], top: number, bottom: number): Row[] {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle]!;
    if (row.y + row.height <= top) low = middle + 1;
    else high = middle;
  }
  const found: Row[] = [];
  for (let i = low; i < rows.length && rows[i]!.y < bottom; i++) found.push(rows[i]!);
  return found;
}

export function toggle(list: readonly string[], key: string): string[] {
  return list.includes(key) ? list.filter((each) => each !== key) : [...list, key];
}
