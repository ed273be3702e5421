// What the overview asks, each question once.

import type { Answer } from "../api/types";
import { ask, find_table } from "./answers";
import { is_compared } from "./compared_parts";
import type { Context } from "./context";
import { step_rows, type StepRow } from "./step_parts";

export interface OverviewReply {
  mfu: { all: number | null; matmul: number | null } | null;
  overall: { name: string; depth: number; total: number; count: number | null }[];
  memory_peaks: { component: string; value: string; bytes: number; at: number }[];
}

const kAlone = { q: null, t0: null, t1: null };

export class OverviewData {
  private readonly parts = new Map<string, Promise<Partial<OverviewReply>>>();
  private readonly answers = new Map<string, Promise<Answer>>();

  constructor(readonly context: Context) {}

  ask(mode: string): Promise<Answer> {
    let answer = this.answers.get(mode);
    if (!answer) {
      answer = ask(this.context, mode, kAlone);
      answer.catch(() => {});
      this.answers.set(mode, answer);
    }
    return answer;
  }

  // A part of the overview: some take longer than others.
  async part<Name extends keyof OverviewReply>(name: Name): Promise<OverviewReply[Name]> {
    const { p, step } = this.context.store.state;
    let part = this.parts.get(name);
    if (!part) {
      part = this.context.profiles
        .load(p)
        .then(() => this.context.source.json("overview", { p, step, only: name })) as Promise<
        Partial<OverviewReply>
      >;
      part.catch(() => {});
      this.parts.set(name, part);
    }
    return (await part)[name] as OverviewReply[Name];
  }

  async step_table(): Promise<StepRow[]> {
    const table = find_table(await this.ask("step_time"), "step_time");
    return table ? step_rows(table) : [];
  }

  // Of what is compared, unless that is a range of time.
  async other_steps(): Promise<StepRow[]> {
    const { state } = this.context.store;
    if (this.context.source.is_report || !is_compared(state) || state.other_range) return [];
    const parameters = { ...kAlone, p: state.other, step: state.other_step };
    const table = find_table(await ask(this.context, "step_time", parameters), "step_time");
    return table ? step_rows(table) : [];
  }
}
