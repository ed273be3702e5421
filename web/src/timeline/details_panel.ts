// What is known of the selected slice: times, arguments, shapes, stack, module, cause, and where
// it leads.

import { button, h, type Child, type Children } from "../dom/element";
import { count_of, duration, exact_duration, fixed, real, share } from "../text/numbers";
import { category_label, category_paint } from "../theme/palette";
import { is_dark } from "../theme/theme";
import { swatch } from "../views/parts";
import { group_label } from "./lane_tree";
import type { TimelineModel } from "./model";
import type { FlowEnd, SliceArgument, SliceDetail, SliceRef } from "./slice_detail";

function line(term: string, value: Children, hint = ""): Child[] {
  return [h("dt", {}, term), h("dd", hint ? { title: hint } : {}, value)];
}

function absolute_text(model: TimelineModel, detail: SliceDetail): string {
  if (detail.begin_wall_ns) return detail.begin_wall_ns;
  const zero = model.profile(detail.p)?.profile.zero_ns;
  return zero ? (BigInt(zero) + BigInt(Math.round(detail.begin))).toString() : "";
}

function times(model: TimelineModel, detail: SliceDetail): HTMLElement {
  const absolute = absolute_text(model, detail);
  return h(
    "dl",
    { class: "facts" },
    line(
      "Duration",
      detail.unfinished ? "not known: its end was not recorded" : duration(detail.duration),
      exact_duration(detail.duration),
    ),
    detail.self !== undefined && detail.self !== null && detail.self !== detail.duration
      ? line("Self", duration(detail.self), exact_duration(detail.self))
      : [],
    line("Start", duration(detail.begin), `${fixed(detail.begin, 0)} ns from the beginning`),
    line("End", duration(detail.end), `${fixed(detail.end, 0)} ns from the beginning`),
    absolute
      ? line("Clock", h("span", { class: "mono" }, `${absolute} ns`), "Wall clock of the start")
      : [],
    line("Kind", [
      swatch(category_paint(detail.category, is_dark()).fill),
      ` ${category_label(detail.category, model.profile(detail.p)?.profile.device_kind)}`,
    ]),
    line("Lane", String(lane_name(model, detail))),
    detail.count_of_name !== undefined
      ? line("This name", count_of(detail.count_of_name, "slice"))
      : [],
    detail.doubtful ? line("Doubt", "Its time was not recorded: it is a guess.") : [],
    detail.module ? line("Module", detail.module) : [],
  );
}

function lane_name(model: TimelineModel, detail: SliceDetail): string {
  for (const group of model.profile(detail.p)?.groups ?? []) {
    const lane = group.lanes.find((each) => each.id === detail.lane_id);
    if (lane) return `${group_label(group)} · ${lane.name}`;
  }
  return String(detail.lane);
}

function arguments_list(detail: SliceDetail): Child {
  const all = [...(detail.kernel ?? []), ...detail.arguments];
  if (all.length === 0) return null;
  return h(
    "section",
    {},
    h("h3", {}, "Arguments"),
    h(
      "dl",
      { class: "facts wide", tabindex: 0, "aria-label": "Arguments" },
      all.map((argument) =>
        line(argument.key, h("span", { class: "mono" }, argument_text(argument))),
      ),
    ),
  );
}

function argument_text({ value, lines }: SliceArgument): string {
  if (lines) return lines.map((each) => (each === "" ? "–" : each)).join("  ");
  return typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
}

function stack_list(detail: SliceDetail): Child {
  if (!detail.stack || detail.stack.length === 0) return null;
  return h(
    "section",
    {},
    h("h3", {}, "Stack"),
    h(
      "ol",
      { class: "stack mono", tabindex: 0, "aria-label": "Stack" },
      detail.stack.map((frame) => h("li", {}, frame)),
    ),
  );
}

function reference_button(
  model: TimelineModel,
  label: string,
  reference: SliceRef & { p: number },
): HTMLElement {
  return h(
    "button",
    {
      type: "button",
      class: "link",
      onclick: () => void model.go_to([reference.p, reference.lane, reference.event]),
    },
    label,
  );
}

// Module, operator, kernel, and the same on other ranks: each leads there.
function path_section(model: TimelineModel, detail: SliceDetail): Child {
  const { path } = detail;
  if (!path) return null;
  const own = (reference: SliceRef) => ({ ...reference, p: reference.p ?? detail.p });
  const step = (reference: SliceRef) =>
    h("li", {}, reference_button(model, reference.name ?? "slice", own(reference)));
  const more = path.kernel_count - path.kernels.length;
  return h(
    "section",
    { "aria-label": "From module to kernel" },
    h("h3", {}, "From module to kernel"),
    h(
      "dl",
      { class: "facts" },
      path.module ? line("Module", path.module) : [],
      path.mfu !== null
        ? line("MFU", share(path.mfu), "Of the peak of the device, over the time of its kernels")
        : [],
      path.flops !== null ? line("Operations", `${real(path.flops / 1e9)} GFLOP`) : [],
      path.kernel_count > 0
        ? line("Launches", `${count_of(path.kernel_count, "kernel")}, ${duration(path.kernel_ns)}`)
        : [],
    ),
    h(
      "ol",
      { class: "plain path" },
      path.frames.map(step),
      path.operator && step(path.operator),
      path.kernels.length === 0 && h("li", { "aria-current": "true" }, detail.name),
    ),
    path.kernels.length > 0 &&
      h(
        "ul",
        { class: "plain", tabindex: 0, "aria-label": "Kernels" },
        path.kernels.map((kernel) =>
          h(
            "li",
            {},
            reference_button(model, kernel.name ?? "kernel", own(kernel)),
            h("span", { class: "faint" }, ` ${duration(kernel.duration)}`),
          ),
        ),
        more > 0 && h("li", { class: "faint" }, `${count_of(more, "kernel")} more`),
      ),
  );
}

function flows_list(model: TimelineModel, detail: SliceDetail): Child {
  const flows = detail.flows ?? [];
  if (flows.length === 0) return null;
  const row = (flow: FlowEnd) => {
    const distance =
      flow.direction === "out" ? flow.begin - detail.begin : detail.begin - flow.begin;
    return h(
      "li",
      {},
      h("span", { class: "faint" }, flow.direction === "out" ? "→ " : "← "),
      reference_button(model, flow.name || "slice", flow),
      h(
        "span",
        { class: "faint" },
        ` ${flow.kind}, ${duration(distance)} ${flow.direction === "out" ? "later" : "before"}`,
      ),
    );
  };
  return h(
    "section",
    {},
    h("h3", {}, `Flows (${flows.length})`, " ", h("kbd", {}, "["), " ", h("kbd", {}, "]")),
    h("ul", { class: "plain" }, flows.slice(0, 200).map(row)),
  );
}

function cause_section(model: TimelineModel, detail: SliceDetail): Child {
  if (!detail.cause) return null;
  const { cause } = detail;
  const { name, sentence } = cause;
  const of = (slice: SliceRef | null | undefined) =>
    slice ? { ...slice, p: slice.p ?? detail.p } : null;
  const culprit = of(cause.culprit);
  const task = of(cause.task);
  return h(
    "section",
    { class: "cause" },
    h("h3", {}, `Idle: ${name}`),
    sentence && h("p", {}, sentence),
    cause.detail && h("p", {}, cause.detail),
    cause.of_host !== undefined &&
      h(
        "p",
        { class: "faint" },
        cause.of_host ? "The host is behind it." : "The device is behind it.",
      ),
    culprit &&
      h(
        "p",
        {},
        button(
          `Go to ${culprit.name ?? "what caused it"}`,
          () => void model.go_to([culprit.p, culprit.lane, culprit.event]),
        ),
      ),
    task &&
      h(
        "p",
        {},
        button(
          `Next task: ${task.name ?? "task"}`,
          () => void model.go_to([task.p, task.lane, task.event]),
        ),
      ),
  );
}

function other_ranks(model: TimelineModel, detail: SliceDetail): Child {
  const others = detail.same_on_other_ranks ?? [];
  if (others.length === 0) return null;
  return h(
    "section",
    {},
    h("h3", {}, "The same on other ranks"),
    h(
      "ul",
      { class: "plain" },
      others.map((other) => {
        const length =
          other.begin !== undefined && other.end !== undefined ? other.end - other.begin : null;
        const more =
          length === null ? "" : ` ${duration(length)} (${difference(length, detail.duration)})`;
        return h(
          "li",
          {},
          reference_button(model, model.context.profiles.label(other.p), other),
          h("span", { class: "faint" }, more),
        );
      }),
    ),
  );
}

function difference(value: number, base: number): string {
  if (base === 0) return "";
  const share = value / base - 1;
  return `${share >= 0 ? "+" : "−"}${Math.abs(share * 100).toFixed(1)} %`;
}

export function details_panel(model: TimelineModel): HTMLElement {
  const { detail } = model;
  if (!detail) {
    const waiting = model.selected
      ? "Reading …"
      : "Click a slice to see what it is. Drag over lanes to add up a range.";
    return h("div", { class: "busy" }, waiting);
  }
  const relatives: Child[] = [];
  if (detail.parent)
    relatives.push(
      button(
        "Parent",
        () => void model.go_to([detail.p, detail.parent!.lane, detail.parent!.event]),
        { class: "button quiet" },
      ),
    );
  return h(
    "div",
    { class: "details" },
    h(
      "header",
      {},
      h("h2", { class: "details-name" }, detail.name),
      relatives,
      button("Fit", () => model.show_slice(), {
        class: "button quiet",
        title: "Show it (f fits it into the view)",
      }),
      button("Find all of this name", () => model.context.store.set({ q: detail.name, how: "w" }), {
        class: "button quiet",
      }),
      button("Copy", () => void copy(model, detail), { class: "button quiet" }),
    ),
    h(
      "div",
      { class: "details-columns" },
      h("section", {}, times(model, detail)),
      cause_section(model, detail),
      path_section(model, detail),
      arguments_list(detail),
      flows_list(model, detail),
      other_ranks(model, detail),
      stack_list(detail),
    ),
  );
}

async function copy(model: TimelineModel, detail: SliceDetail): Promise<void> {
  const lines = [
    detail.name,
    `duration ${detail.duration} ns`,
    `start ${detail.begin} ns`,
    ...detail.arguments.map((argument) => `${argument.key}: ${argument_text(argument)}`),
    ...(detail.stack ?? []),
  ];
  try {
    await navigator.clipboard.writeText(lines.join("\n"));
    model.context.toast("Copied.");
  } catch {
    model.context.toast("The browser does not allow copying here.");
  }
}
