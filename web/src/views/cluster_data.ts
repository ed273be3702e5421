// What the server tells of several ranks, as tables and pictures need it. Pure.

import type { Cell, Column, Place, Table } from "../api/types";

export interface StepRow {
  p: number;
  rank: number;
  device: number;
  step: number;
  total: number;
  computing: number;
  communication: number;
  overlapped: number;
  uncovered: number;
  free: number;
  preparing: number;
}

// The mean step of a rank, and its place in the groups of each kind of parallelism.
export interface RankRow extends Record<StepMetric, number> {
  p: number;
  rank: number;
  steps: number;
  place?: { tp: number; cp: number; dp: number; pp: number };
}

export interface ParallelGrid {
  rows: string[]; // Stages of the pipeline.
  columns: string[];
  cells: RankRow[][][]; // Ranks of each; more than one if the profiles do not tell them apart.
}

// Stages of the pipeline from above to below, the other kinds side by side, tensor parallelism
// fastest. What all ranks are alike in is not named.
export function parallel_grid(ranks: readonly RankRow[]): ParallelGrid {
  const placed = ranks.filter((rank) => rank.place);
  const axes = (["dp", "cp", "tp"] as const).filter((axis) =>
    placed.some((rank) => rank.place![axis] > 0),
  );
  const key = (rank: RankRow) => axes.map((axis) => rank.place![axis]);
  const columns = [...new Map(placed.map((rank) => [key(rank).join(), key(rank)])).values()].sort(
    (a, b) => {
      const first = a.findIndex((each, i) => each !== b[i]);
      return first < 0 ? 0 : a[first]! - b[first]!;
    },
  );
  const stages = [...new Set(placed.map((rank) => rank.place!.pp))].sort((a, b) => a - b);
  return {
    rows: stages.map((stage) => `pp ${stage}`),
    columns: columns.map((each) => axes.map((axis, i) => `${axis} ${each[i]}`).join(" · ") || "–"),
    cells: stages.map((stage) =>
      columns.map((column) =>
        placed.filter((rank) => rank.place!.pp === stage && key(rank).join() === column.join()),
      ),
    ),
  };
}

export interface LinkRow {
  p: number;
  group: string; // Of LinkGroup.
  from: number;
  to: number;
  transport: string;
  size_mb: number;
  time_ms: number;
  gb_s: number;
}

// A communication group, or all groups of one kind where ranks of links are those of the job.
export interface LinkGroup {
  id: string;
  name: string;
  is_global: boolean; // Else ranks are counted within the group.
}

export interface CollectiveRank {
  p: number;
  rank: number;
  name: string;
  begin: number; // From the zero of p.
  end: number;
  at: number; // Begin after the first rank's begin, ns, on one clock.
  length: number;
  lane?: number;
  event?: number;
}

export interface Collective {
  id: number;
  group: string;
  type: string;
  number: number;
  spread: number; // From the first that began to the last.
  last: number; // Place of that among the ranks.
  ranks: CollectiveRank[];
}

// A rank that keeps others waiting.
export interface Latecomer {
  rank: number;
  p: number;
  times: number;
  waited: number;
  longest: Collective; // What the others waited longest for.
}

export const kStepMetrics = [
  { name: "computing", title: "Computing" },
  { name: "total", title: "Total" },
  { name: "communication", title: "Communication" },
  { name: "uncovered", title: "Communication, not overlapped" },
  { name: "overlapped", title: "Overlapped" },
  { name: "free", title: "Free" },
  { name: "preparing", title: "Preparing" },
] as const;

export type StepMetric = (typeof kStepMetrics)[number]["name"];

// What a rank is called: by its number where that is known.
export type RankName = (each: { p: number; rank: number }) => string;

export interface StepGrid {
  ranks: { p: number; rank: number; label: string }[];
  steps: number[];
  rows: (StepRow | null)[][];
}

export function step_grid(rows: readonly StepRow[], name: RankName): StepGrid {
  const steps = [...new Set(rows.map((row) => row.step))].sort((a, b) => a - b);
  const several =
    new Set(rows.map((row) => row.device)).size > 1 &&
    new Set(rows.map((row) => row.p)).size < rows.length / Math.max(steps.length, 1);
  const keys = new Map<string, { p: number; rank: number; label: string }>();
  for (const { p, rank, device } of rows) {
    const label = rank < 0 ? name({ p, rank }) : String(rank);
    keys.set(`${p}.${device}`, { p, rank, label: several ? `${label}, device ${device}` : label });
  }
  const ranks = [...keys.entries()].sort(([, a], [, b]) => a.rank - b.rank);
  const cells = ranks.map(([key]) =>
    steps.map(
      (step) => rows.find((row) => `${row.p}.${row.device}` === key && row.step === step) ?? null,
    ),
  );
  return { ranks: ranks.map(([, rank]) => rank), steps, rows: cells };
}

const kCollectiveColumns: Column[] = [
  { key: "type", title: "Type", kind: "text" },
  { key: "group", title: "Group", kind: "text" },
  { key: "number", title: "Number", kind: "integer" },
  { key: "ranks", title: "Ranks", kind: "integer" },
  { key: "last", title: "Last to come", kind: "text" },
  { key: "spread", title: "Others wait up to", kind: "duration" },
  { key: "shortest", title: "Shortest", kind: "duration" },
  { key: "longest", title: "Longest", kind: "duration" },
];

export function collectives_table(
  collectives: readonly Collective[],
  total: number,
  name: RankName,
): Table {
  const rows = collectives.map((each): Cell[] => {
    const lengths = each.ranks.map((rank) => rank.length);
    const several = each.ranks.length > 1;
    return [
      each.type,
      each.group,
      each.number,
      each.ranks.length,
      several ? name(each.ranks[each.last]!) : null,
      several ? each.spread : null,
      Math.min(...lengths),
      Math.max(...lengths),
    ];
  });
  const places = collectives.map(({ ranks, last }): Place | null => {
    const late = ranks[last];
    return late?.lane !== undefined && late.event !== undefined
      ? [late.p, late.lane, late.event]
      : null;
  });
  const notes =
    total > collectives.length ? [`The first ${collectives.length} of ${total} collectives.`] : [];
  return {
    name: "collectives",
    title: "Collectives of all ranks",
    notes,
    usual_rows: 0,
    columns: kCollectiveColumns,
    rows,
    places,
    total_rows: rows.length,
  };
}
