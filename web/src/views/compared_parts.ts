// What can be compared of a profile: all of it, a step, a range of time. Pure.

import type { Parameters } from "../api/client";
import type { PageState, TimeMark } from "../state/url";
import { duration } from "../text/numbers";

export type TimeSpan = [begin: number, end: number];

export interface ComparedPart {
  step: number | null;
  range: TimeSpan | null;
}

export interface PartChoice {
  value: string;
  title: string;
  part: ComparedPart;
}

export function part_key({ step, range }: ComparedPart): string {
  if (range) return `range ${range[0]}~${range[1]}`;
  return step === null ? "" : String(step);
}

function range_choice(range: TimeSpan, name: string): PartChoice {
  const part = { step: null, range };
  const where = `${duration(range[0])} + ${duration(range[1] - range[0])}`;
  return { value: part_key(part), title: `${name} ${where}`, part };
}

// `now` is always among them.
export function part_choices(
  steps: readonly number[],
  ranges: readonly { range: TimeSpan; name: string }[],
  now: ComparedPart,
): PartChoice[] {
  const all = { step: null, range: null };
  const choices: PartChoice[] = [
    { value: part_key(all), title: steps.length > 0 ? "All steps" : "All of it", part: all },
    ...steps.map((step) => {
      const part = { step, range: null };
      return { value: part_key(part), title: `Step ${step}`, part };
    }),
    ...ranges.map(({ range, name }) => range_choice(range, name)),
  ];
  const known = choices.some((each) => each.value === part_key(now));
  if (!known && now.range) choices.push(range_choice(now.range, "Range"));
  return choices.filter((each, i) => choices.findIndex((one) => one.value === each.value) === i);
}

export function marked_ranges(
  marks: readonly TimeMark[],
  to_profile: (begin: number, end: number) => TimeSpan,
): { range: TimeSpan; name: string }[] {
  return marks
    .filter((mark) => mark.end > mark.begin)
    .map((mark) => ({ range: to_profile(mark.begin, mark.end), name: mark.name || "Marked" }));
}

// The table of a comparison that says what a view shows.
const kTables: Readonly<Record<string, string>> = {
  kernels: "kernels",
  modules: "modules",
  memory: "memory",
  communication: "communication",
  host: "operators",
};

export function table_of_view(view: string): string {
  return kTables[view] ?? "";
}

type ComparedState = Pick<
  PageState,
  "p" | "step" | "base_range" | "other" | "other_step" | "other_range"
>;

// A comparison was asked for, and of two different things.
export function is_compared(state: ComparedState): boolean {
  if (state.other === null) return false;
  const base = { step: state.base_range ? null : state.step, range: state.base_range };
  const other = { step: state.other_range ? null : state.other_step, range: state.other_range };
  return state.other !== state.p || part_key(base) !== part_key(other);
}

// What is asked besides to have the other side beside what a view shows.
export function beside(state: ComparedState): Parameters {
  if (!is_compared(state)) return {};
  const { step, base_range, other, other_step, other_range } = state;
  return {
    q: other,
    step: base_range ? null : step,
    t0: base_range?.[0],
    t1: base_range?.[1],
    other_step: other_range ? null : other_step,
    other_t0: other_range?.[0],
    other_t1: other_range?.[1],
  };
}

// "step 3 of Rank 2" beside all of rank 0; what both sides have in common is not said.
export function other_title(state: ComparedState, name: (p: number) => string): string {
  const { p, other, other_step, other_range } = state;
  const rank = other === null || other === p ? "" : name(other);
  const part = other_range
    ? `${duration(other_range[0])} + ${duration(other_range[1] - other_range[0])}`
    : other_step === null
      ? other === p
        ? "all steps"
        : ""
      : `step ${other_step}`;
  return [rank, part].filter(Boolean).join(", ");
}

export function comparison(
  other: number,
  base: ComparedPart,
  part: ComparedPart,
  view: string,
): Partial<PageState> {
  return {
    view: "compare",
    other,
    step: base.step,
    base_range: base.range,
    other_step: part.step,
    other_range: part.range,
    tab: table_of_view(view),
  };
}
