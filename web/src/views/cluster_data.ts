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

export interface LinkRow {
  p: number;
  from: number;
  to: number;
  transport: string;
  size_mb: number;
  time_ms: number;
  gb_s: number;
}

export interface Clock {
  p: number;
  rank: number;
  zero_ns: string;
  offset: number | null; // ns to add to wall times of p to match the first.
  error: number;
  collectives: number;
}

export interface CollectiveRank {
  p: number;
  name: string;
  begin: number; // From the zero of p.
  end: number;
  lane?: number;
  event?: number;
}

export interface Collective {
  group: string;
  type: string;
  number: number;
  ranks: CollectiveRank[];
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

export interface StepGrid {
  ranks: { p: number; rank: number; label: string }[];
  steps: number[];
  rows: (StepRow | null)[][];
}

export function step_grid(rows: readonly StepRow[]): StepGrid {
  const steps = [...new Set(rows.map((row) => row.step))].sort((a, b) => a - b);
  const several =
    new Set(rows.map((row) => row.device)).size > 1 &&
    new Set(rows.map((row) => row.p)).size < rows.length / Math.max(steps.length, 1);
  const keys = new Map<string, { p: number; rank: number; label: string }>();
  for (const { p, rank, device } of rows)
    keys.set(`${p}.${device}`, {
      p,
      rank,
      label: several ? `${rank}, NPU ${device}` : String(rank),
    });
  const ranks = [...keys.entries()].sort(([, a], [, b]) => a.rank - b.rank);
  const cells = ranks.map(([key]) =>
    steps.map(
      (step) => rows.find((row) => `${row.p}.${row.device}` === key && row.step === step) ?? null,
    ),
  );
  return { ranks: ranks.map(([, rank]) => rank), steps, rows: cells };
}

// Begin and end of a collective on each rank, on one clock.
export interface AlignedRank extends CollectiveRank {
  rank: number;
  at: number; // Begin after the first rank's begin, ns.
  length: number;
}

export interface AlignedCollective {
  collective: Collective;
  ranks: AlignedRank[];
  spread: number; // From the first that began to the last.
  last: AlignedRank | null;
}

export function align_collective(
  collective: Collective,
  clocks: readonly Clock[],
): AlignedCollective {
  const base = clocks[0] ? BigInt(clocks[0].zero_ns) : 0n;
  const by_profile = new Map(clocks.map((clock) => [clock.p, clock]));
  const absolute = (each: CollectiveRank) => {
    const clock = by_profile.get(each.p);
    if (!clock) return each.begin;
    return Number(BigInt(clock.zero_ns) - base) + each.begin + (clock.offset ?? 0);
  };
  const first = Math.min(...collective.ranks.map(absolute));
  const ranks = collective.ranks.map((each) => ({
    ...each,
    rank: by_profile.get(each.p)?.rank ?? each.p,
    at: absolute(each) - first,
    length: each.end - each.begin,
  }));
  const last = ranks.reduce<AlignedRank | null>(
    (most, each) => (most === null || each.at > most.at ? each : most),
    null,
  );
  return { collective, ranks, spread: last?.at ?? 0, last };
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

export function collectives_table(aligned: readonly AlignedCollective[], total: number): Table {
  const rows = aligned.map(({ collective, ranks, spread, last }): Cell[] => {
    const lengths = ranks.map((each) => each.length);
    const several = ranks.length > 1;
    return [
      collective.type,
      collective.group,
      collective.number,
      ranks.length,
      several && last ? `Rank ${last.rank}` : null,
      several ? spread : null,
      Math.min(...lengths),
      Math.max(...lengths),
    ];
  });
  const places = aligned.map(({ last }): Place | null =>
    last?.lane !== undefined && last.event !== undefined ? [last.p, last.lane, last.event] : null,
  );
  const notes =
    total > aligned.length ? [`The first ${aligned.length} of ${total} collectives.`] : [];
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

export interface Latecomer {
  rank: number;
  p: number;
  times: number;
  waited: number; // By the others for it: the spread of what it came last to.
  longest: AlignedCollective; // What the others waited longest for.
}

// In a pipeline one side always waits for the other, however even the ranks are.
function is_transfer({ collective }: AlignedCollective): boolean {
  return /send|receive|recv/i.test(collective.type);
}

// Who keeps the others waiting: the sum over collectives to which a rank came last. Sends and
// receives count only where there is nothing else.
export function latecomers(aligned: readonly AlignedCollective[]): Latecomer[] {
  const meetings = aligned.filter((each) => !is_transfer(each));
  const sums = new Map<number, Latecomer>();
  for (const each of meetings.length > 0 ? meetings : aligned) {
    const { ranks, last, spread } = each;
    if (!last || ranks.length < 2 || spread === 0) continue;
    let sum = sums.get(last.p);
    if (!sum) {
      sum = { rank: last.rank, p: last.p, times: 0, waited: 0, longest: each };
      sums.set(last.p, sum);
    }
    sum.times++;
    sum.waited += spread;
    if (spread > sum.longest.spread) sum.longest = each;
  }
  return [...sums.values()].sort((a, b) => b.waited - a.waited);
}
