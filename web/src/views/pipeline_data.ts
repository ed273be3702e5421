// What the server tells of a pipeline, as tables and pictures need it. Pure.

import type { Cell, Column, Table } from "../api/types";
import { share } from "../text/numbers";

export const kPassKinds = ["forward", "backward", "weight"] as const;
export type PassKind = (typeof kPassKinds)[number];

interface TimeInRank {
  begin: number; // From the zero of the profile.
  end: number;
  at: number; // From the begin of the chart.
}

export interface Pass extends TimeInRank {
  kind: PassKind;
  number: number; // Of the forward pass in its step; 0 = not known.
  computing: number;
}

export interface Transfer extends TimeInRank {
  name: string;
}

// Its parts sum to the length of the chart, unless passes run side by side.
export interface PipelineRow extends Record<PassKind, number> {
  p: number;
  device: number;
  stage: number;
  offset: number;
  compared: number;
  transfer: number;
  rest: number;
  passes: Pass[];
  transfers: Transfer[];
}

export interface Message {
  from: number; // Rows.
  to: number;
  sent: number;
  received: number;
  bytes: number;
}

export interface PipelineReply {
  pipelines: { key: string; profiles: number[] }[];
  pipeline: number;
  step?: number | null;
  steps?: number[];
  are_marked?: boolean;
  length?: number;
  bubble?: number;
  least?: number;
  rows?: PipelineRow[];
  is_cut?: boolean;
  messages?: Message[];
  unmatched?: number;
}

export const kPassTitles: Record<PassKind, string> = {
  forward: "Forward",
  backward: "Backward",
  weight: "Weight gradients",
};

// F3, B3, W3.
export function pass_label({ kind, number }: Pass): string {
  return `${kPassTitles[kind][0]}${number || ""}`;
}

export function used_kinds(rows: readonly PipelineRow[]): PassKind[] {
  return kPassKinds.filter((kind) => rows.some((row) => row[kind] > 0));
}

export function pipeline_sentences(reply: PipelineReply): string[] {
  const { rows = [], pipelines, pipeline, step } = reply;
  const stages = pipelines[pipeline]?.profiles.length ?? 0;
  const passes = Math.max(...rows.map((row) => row.passes.filter(is_forward).length), 0);
  const where = typeof step === "number" ? `Step ${step}: of` : "Of";
  const texts = [
    `${where} the time from the first pass to the last, ${share(reply.bubble ?? 0)} is bubble: a rank is in no pass.`,
  ];
  if (stages > 1)
    texts.push(
      `${stages} even stages with ${passes} forward passes each would leave ${share(reply.least ?? 0)} if nothing but their order kept them waiting.`,
    );
  texts.push(
    reply.are_marked
      ? "Passes are the ranges that the program marked as forward and backward."
      : "Passes are told by operators and their gradients, and end where something is sent or received.",
  );
  if (rows.length > 1 && rows.slice(1).some((row) => row.compared === 0))
    texts.push("Clocks of some ranks could not be compared by messages: their times are as recorded.");
  if (reply.unmatched)
    texts.push(`${reply.unmatched} messages have one side only and are not drawn.`);
  if (reply.is_cut) texts.push("There are more passes than are shown here.");
  return texts;
}

function is_forward(pass: Pass): boolean {
  return pass.kind === "forward";
}

// `name` is what a profile is called.
export function row_labels(
  rows: readonly PipelineRow[],
  name: (p: number) => string,
): string[] {
  return rows.map((row) => {
    const several = rows.filter((each) => each.p === row.p).length > 1;
    return several ? `${name(row.p)}, device ${row.device}` : name(row.p);
  });
}

export function ranks_table(reply: PipelineReply, labels: readonly string[]): Table {
  const { rows = [], length = 0 } = reply;
  const kinds = used_kinds(rows);
  const columns: Column[] = [
    { key: "stage", title: "Stage", kind: "integer" },
    { key: "rank", title: "Rank", kind: "text" },
    ...kinds.map((kind): Column => ({ key: kind, title: kPassTitles[kind], kind: "duration" })),
    { key: "transfer", title: "Sending, receiving", kind: "duration" },
    { key: "rest", title: "Rest", kind: "duration" },
    { key: "bubble", title: "Bubble", kind: "share" },
  ];
  return {
    name: "pipeline_ranks",
    title: "Stages",
    notes: [],
    usual_rows: 0,
    columns,
    rows: rows.map((row, i): Cell[] => [
      row.stage,
      labels[i]!,
      ...kinds.map((kind) => row[kind]),
      row.transfer,
      row.rest,
      length > 0 ? (row.transfer + row.rest) / length : null,
    ]),
    total_rows: rows.length,
  };
}

const kPassColumns: Column[] = [
  { key: "stage", title: "Stage", kind: "integer" },
  { key: "rank", title: "Rank", kind: "text" },
  { key: "kind", title: "Pass", kind: "text" },
  { key: "number", title: "Number", kind: "integer" },
  { key: "at", title: "Begins", kind: "moment" },
  { key: "length", title: "Takes", kind: "duration" },
  { key: "computing", title: "Computing", kind: "duration" },
];

export function passes_table(rows: readonly PipelineRow[], labels: readonly string[]): Table {
  const cells = rows.flatMap((row, i) =>
    row.passes.map((pass): Cell[] => [
      row.stage,
      labels[i]!,
      kPassTitles[pass.kind],
      pass.number || null,
      pass.at,
      pass.end - pass.begin,
      pass.computing,
    ]),
  );
  return {
    name: "pipeline_passes",
    title: "Passes",
    notes: [],
    usual_rows: 0,
    columns: kPassColumns,
    rows: cells,
    total_rows: cells.length,
  };
}

// The pass that a line of the table is.
export function pass_of_line(
  rows: readonly PipelineRow[],
  labels: readonly string[],
  [, label, kind, , at]: readonly Cell[],
): [PipelineRow, Pass] | null {
  const row = rows[labels.findIndex((each) => each === label)];
  const pass = row?.passes.find((each) => each.at === at && kPassTitles[each.kind] === kind);
  return row && pass ? [row, pass] : null;
}
