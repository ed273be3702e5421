// The pipeline chart: passes of each stage over time, what the stages send each other, and what is
// left between.

import type { Cell, Table } from "../api/types";
import { pipeline_rows, type PipelineBar, type PipelineTrack } from "../charts/pipeline_rows";
import { h, type Child } from "../dom/element";
import { TableBlock } from "../tables/table_block";
import { duration, exact_duration, share } from "../text/numbers";
import { category_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";
import type { Context } from "./context";
import { card, choice, sentences } from "./parts";
import {
  kPassTitles,
  pass_label,
  pass_of_line,
  passes_table,
  pipeline_sentences,
  ranks_table,
  row_labels,
  used_kinds,
  type Pass,
  type PassKind,
  type PipelineReply,
  type PipelineRow,
} from "./pipeline_data";

const kLooks: Record<PassKind, Pick<PipelineBar, "category" | "pattern">> = {
  forward: { category: "cube", pattern: "solid" },
  backward: { category: "vector", pattern: "striped" },
  weight: { category: "convolution", pattern: "hatched" },
};

export function pipeline_cards(
  context: Context,
  reply: PipelineReply,
  choose: (pipeline: number) => void,
): Child[] {
  const { rows = [], pipelines, pipeline, length = 0 } = reply;
  const chooser =
    pipelines.length > 1 &&
    !context.source.is_report &&
    choice(
      "Pipeline",
      pipelines.map(({ profiles }, i) => ({
        value: String(i),
        title: profiles.map((p) => context.profiles.label(p)).join(", "),
      })),
      String(pipeline),
      (value) => choose(Number(value)),
    );
  if (length <= 0)
    return [
      h("div", { class: "bar" }, chooser),
      h(
        "p",
        { class: "busy" },
        "Nothing tells the forward pass from the backward one here: that takes operators of the framework (activities with the CPU) with their gradients, or ranges that the program marks on a stream, with forward and backward in their messages.",
      ),
    ];
  const labels = row_labels(rows, (p) => context.profiles.label(p));
  const go = (row: PipelineRow, pass: Pass) => context.go_to_time(row.p, pass.begin, pass.end);
  const block = (table: Table, on_open: (line: readonly Cell[]) => void) =>
    h(
      "section",
      { class: "card" },
      new TableBlock(context, table, { rows_shown: 14, on_open }).element,
    );
  return [
    sentences(pipeline_sentences(reply)),
    h(
      "div",
      { class: "cards" },
      card("Stages over time", 12, [legend(rows), drawing(context, reply, labels, go)], {
        actions: [chooser],
        note: "F1 is the first forward pass of the step, B1 computes its gradients. A pass leads to its time on the timeline.",
      }),
    ),
    h(
      "div",
      { class: "stacked" },
      block(ranks_table(reply, labels), ([, label]) => {
        const row = rows[labels.findIndex((each) => each === label)];
        const [first, last] = [row?.passes[0], row?.passes.at(-1)];
        if (row && first && last) context.go_to_time(row.p, first.begin, last.end);
      }),
      block(passes_table(rows, labels), (line) => {
        const found = pass_of_line(rows, labels, line);
        if (found) go(...found);
      }),
    ),
  ];
}

function drawing(
  context: Context,
  { rows = [], messages = [], length = 0, step }: PipelineReply,
  labels: readonly string[],
  go: (row: PipelineRow, pass: Pass) => void,
): HTMLElement {
  const tracks = rows.map((row, i): PipelineTrack => {
    const label = labels[i]!;
    return {
      label,
      hint: `Stage ${row.stage}. Show the rank on the timeline`,
      on_click: () => context.store.set({ p: row.p, ranks: [], view: "timeline" }, "push"),
      total: share((row.transfer + row.rest) / length),
      transfers: row.transfers.map(({ name, at, begin, end }) => ({
        begin: Math.max(at, 0),
        length: Math.min(at + end - begin, length) - Math.max(at, 0),
        hint: `${label}, ${name}: ${duration(end - begin)}`,
      })),
      bars: row.passes.map((pass): PipelineBar => {
        const name = `${label}, ${kPassTitles[pass.kind].toLowerCase()}${pass.number ? ` ${pass.number}` : ""}`;
        const long = pass.end - pass.begin;
        return {
          begin: pass.at,
          length: long,
          ...kLooks[pass.kind],
          label: pass_label(pass),
          hint: `${name}: begins at ${duration(pass.at)}, takes ${exact_duration(long)}, of which the device computes ${share(long > 0 ? pass.computing / long : 0)}`,
          on_click: () => go(row, pass),
        };
      }),
    };
  });
  return pipeline_rows(
    `Passes of ${rows.length} ranks${typeof step === "number" ? ` in step ${step}` : ""}`,
    tracks,
    messages.map(({ from, to, sent, received }) => ({ from, to, begin: sent, end: received })),
    length,
  );
}

function legend(rows: readonly PipelineRow[]): HTMLElement {
  const box = (kind: PassKind) => {
    const { category, pattern } = kLooks[kind];
    return h("span", {
      class: `legend-box pattern-${pattern}`,
      style: { "--fill": category_paint(category, is_dark()).fill },
    });
  };
  return h(
    "div",
    { class: "bar-legend" },
    used_kinds(rows).map((kind) => h("span", {}, box(kind), kPassTitles[kind])),
    h("span", {}, h("span", { class: "legend-box pipeline-sends" }), "Sending, receiving"),
    h("span", {}, h("span", { class: "legend-box pipeline-empty" }), "Bubble, its share at the right"),
  );
}
