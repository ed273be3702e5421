// Flows of whole kinds, of what is in view: asked for when a kind is switched on.

import type { TimelineModel } from "./model";
import { set_background_flows, type FlowArrow } from "./flows";
import type { FlowEnd } from "./slice_detail";

interface FlowReply {
  count: number;
  shown?: number;
  kinds?: { kind: string; count?: number }[];
  flows: { kind: string; from: FlowPoint; to: FlowPoint }[];
}

type FlowPoint = Pick<FlowEnd, "lane" | "row" | "begin"> & { p?: number };

const kPause = 150;

export class FlowLayer {
  kinds: { kind: string; count?: number }[] = [];
  count = 0;
  private timer = 0;
  private controller: AbortController | null = null;

  constructor(
    private readonly model: TimelineModel,
    private readonly redraw: () => void,
  ) {
    model.context.store.listen(["flows"], () => this.want());
  }

  want(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.fetch(), kPause);
  }

  // What kinds there are in a profile, for the menu.
  async list(): Promise<void> {
    const first = this.model.profiles[0];
    if (!first) return;
    const reply = (await this.model.context.source.json("flows", {
      p: first.p,
      t0: Math.floor(first.profile.begin),
      t1: Math.ceil(first.profile.end),
      px: 400,
    })) as FlowReply;
    this.kinds =
      reply.kinds ??
      [...new Set(reply.flows.map((flow) => flow.kind))].sort().map((kind) => ({ kind }));
  }

  private async fetch(): Promise<void> {
    const { flows } = this.model.context.store.state;
    if (!flows) {
      set_background_flows([]);
      this.redraw();
      return;
    }
    this.controller?.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    const arrows: FlowArrow[] = [];
    try {
      for (const { p } of this.model.profiles) {
        const { view, clock } = this.model;
        const span = {
          t0: Math.floor(clock.to_profile(p, view.begin)),
          t1: Math.ceil(clock.to_profile(p, view.end)),
        };
        const reply = (await this.model.context.source.json(
          "flows",
          { p, ...span, kinds: flows, px: Math.round(this.model.width) },
          signal,
        )) as FlowReply;
        this.count = reply.count;
        for (const { kind, from, to } of reply.flows)
          arrows.push({ kind, from: point(p, from), to: point(p, to) });
      }
    } catch {
      return;
    }
    set_background_flows(arrows);
    this.redraw();
  }
}

function point(p: number, end: FlowPoint): FlowArrow["from"] {
  return { p: end.p ?? p, lane: end.lane, row: end.row ?? 0, time: end.begin };
}
