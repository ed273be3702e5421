// What the pipeline chart says about the reply of the server.

import { expect, test } from "@playwright/test";
import {
  pass_label,
  pass_of_line,
  passes_table,
  pipeline_sentences,
  ranks_table,
  row_labels,
  used_kinds,
  type Pass,
  type PipelineReply,
  type PipelineRow,
} from "../../../web/src/views/pipeline_data";

function pass(kind: Pass["kind"], number: number, at: number, length: number): Pass {
  return { kind, number, at, begin: at + 1000, end: at + 1000 + length, computing: length / 2 };
}

function row(p: number, passes: Pass[], more: Partial<PipelineRow> = {}): PipelineRow {
  const none = { device: 0, stage: p, offset: 0, compared: 1, transfers: [] };
  return { p, passes, ...none, forward: 30, backward: 20, weight: 0, transfer: 40, rest: 10, ...more };
}

const rows = [
  row(0, [pass("forward", 1, 0, 10), pass("forward", 2, 10, 20), pass("backward", 1, 80, 20)]),
  row(1, [pass("forward", 1, 40, 10), pass("backward", 0, 60, 10)]),
];
const reply: PipelineReply = {
  pipelines: [{ key: "pp", profiles: [0, 1] }],
  pipeline: 0,
  step: 5,
  length: 100,
  bubble: 0.5,
  least: 1 / 3,
  rows,
  messages: [],
};
const labels = row_labels(rows, (p) => `Rank ${p}`);

test("passes are numbered as far as that is known", () => {
  expect(rows[0]!.passes.map(pass_label)).toEqual(["F1", "F2", "B1"]);
  expect(rows[1]!.passes.map(pass_label)).toEqual(["F1", "B"]);
});

test("what is told is of the step and its schedule", () => {
  const [first, second, third] = pipeline_sentences(reply);
  expect(first).toContain("Step 5: of the time from the first pass to the last, 50.0 % is bubble");
  expect(second).toContain("2 even stages with 2 forward passes each would leave 33.3 %");
  expect(third).toContain("operators and their gradients");
});

test("doubt is told", () => {
  const doubtful = { ...reply, rows: [rows[0]!, row(1, [], { compared: 0 })], unmatched: 3 };
  expect(pipeline_sentences(doubtful).join(" ")).toMatch(/Clocks of some ranks .* 3 messages/);
});

test("tables have a line for each stage and each pass, which is found again", () => {
  expect(used_kinds(rows)).toEqual(["forward", "backward"]);
  const ranks = ranks_table(reply, labels);
  expect(ranks.columns.map((column) => column.key)).not.toContain("weight");
  expect(ranks.rows[1]).toEqual([1, "Rank 1", 30, 20, 40, 10, 0.5]);
  const passes = passes_table(rows, labels);
  expect(passes.rows[4]).toEqual([1, "Rank 1", "Backward", null, 60, 10, 5]);
  expect(pass_of_line(rows, labels, passes.rows[4]!)).toEqual([rows[1], rows[1]!.passes[1]]);
  expect(pass_of_line(rows, labels, [1, "Rank 7", "Backward", null, 60, 10, 5])).toBeNull();
});

test("devices of one profile are told apart", () => {
  const two = [row(0, []), row(0, [], { device: 1 })];
  expect(row_labels(two, () => "Rank 0")).toEqual(["Rank 0, device 0", "Rank 0, device 1"]);
});
