// What the overview asks, each question once.

import type { Answer } from "../api/types";
import { ask, find_table } from "./answers";
import type { Context } from "./context";
import { step_rows, type StepRow } from "./step_parts";

export interface OverviewReply {
  mfu: { all: number | null; matmul: number | null } | null;
  overall: { name: string; depth: number; total: number; count: number | null }[];
  memory_peaks: { component: string; value: string; bytes: number; at: number }[];
}

export class OverviewData {
  private reply: Promise<OverviewReply> | null = null;
  private readonly answers = new Map<string, Promise<Answer>>();

  constructor(readonly context: Context) {}

  ask(mode: string): Promise<Answer> {
    let answer = this.answers.get(mode);
    if (!answer) {
      answer = ask(this.context, mode);
      answer.catch(() => {});
      this.answers.set(mode, answer);
    }
    return answer;
  }

  overview(): Promise<OverviewReply> {
    const { p, step } = this.context.store.state;
    this.reply ??= this.context.profiles
      .load(p)
      .then(() => this.context.source.json("overview", { p, step }) as Promise<OverviewReply>);
    return this.reply;
  }

  async step_table(): Promise<StepRow[]> {
    const table = find_table(await this.ask("step_time"), "step_time");
    return table ? step_rows(table) : [];
  }
}
