// Search over all lanes: how many, where, next and previous.

import { button, h } from "../dom/element";
import { count_of, integer } from "../text/numbers";
import { is_abort, type Parameters } from "../api/client";
import { matcher } from "./matcher";
import type { TimelineModel } from "./model";

export interface SearchReply {
  count: number;
  distinct: number;
  map?: { lane: number; buckets: number[] }[];
  names: { name: string; count: number }[];
}

interface Hit {
  lane: number;
  event: number;
  row: number;
  begin: number;
  end: number;
  k: number;
  count: number;
}

export interface HitsReply {
  total_rows: number;
  rows: {
    lane: number;
    event: number;
    name: string;
    begin: number;
    duration: number;
    self: number;
    lane_name: string;
    group: string;
  }[];
}

const kPause = 140; // ms after the last key.
export const kMapBuckets = 400;

export class SearchBar {
  readonly element: HTMLElement;
  readonly field: HTMLInputElement;
  replies: { p: number; reply: SearchReply }[] = [];
  on_reply = () => {};
  private readonly count = h("span", { class: "search-count faint", role: "status" });
  private k = -1;
  private timer = 0;
  private controller: AbortController | null = null;

  constructor(private readonly model: TimelineModel) {
    const { store } = model.context;
    this.field = h("input", {
      class: "field",
      type: "search",
      placeholder: "Search slices  ( / )",
      "aria-label": "Search slices",
      value: store.state.q,
      oninput: () => store.set({ q: this.field.value }),
      onkeydown: (event) => this.on_key(event),
    });
    const way = (sign: string, label: string, flag: string) =>
      h(
        "button",
        {
          type: "button",
          class: "button quiet icon",
          title: label,
          "aria-label": label,
          "aria-pressed": String(store.state.how.includes(flag)),
          "data-flag": flag,
          onclick: () => this.toggle(flag),
        },
        sign,
      );
    this.element = h(
      "div",
      { class: "search", role: "search" },
      this.field,
      way("Aa", "Match case", "c"),
      way("W", "Whole words", "w"),
      way(".*", "Regular expression", "r"),
      way("↔", "In the selected range alone", "i"),
      button("‹", () => void this.step(-1), {
        class: "button quiet icon",
        "aria-label": "Previous hit",
        title: "Previous (shift + enter)",
      }),
      button("›", () => void this.step(1), {
        class: "button quiet icon",
        "aria-label": "Next hit",
        title: "Next (enter)",
      }),
      this.count,
    );
    store.listen(["q", "how"], () => this.changed());
    store.listen(["step", "range"], () => {
      if (store.state.q) this.changed();
    });
    if (store.state.q) this.changed();
  }

  get parameters(): Parameters {
    const { q, how, step } = this.model.context.store.state;
    return {
      q,
      case: how.includes("c") || undefined,
      word: how.includes("w") || undefined,
      regex: how.includes("r") || undefined,
      step,
    };
  }

  // The selected range, where hits are asked of it alone; in the time of a profile.
  range_of(p: number): Parameters {
    const { range, clock, context } = this.model;
    if (!range || !context.store.state.how.includes("i")) return {};
    const begin = Math.floor(clock.to_profile(p, range.begin));
    return { begin, end: Math.max(Math.ceil(clock.to_profile(p, range.end)), begin + 1) };
  }

  private toggle(flag: string): void {
    const { store } = this.model.context;
    const { how } = store.state;
    store.set({ how: how.includes(flag) ? how.replace(flag, "") : how + flag });
  }

  private changed(): void {
    const { q, how } = this.model.context.store.state;
    if (this.field.value !== q) this.field.value = q;
    for (const each of this.element.querySelectorAll<HTMLElement>("[data-flag]")) {
      each.setAttribute("aria-pressed", String(how.includes(each.dataset.flag!)));
    }
    this.model.lit = q ? { text: q, matches: matcher(q, how) } : null;
    this.model.emit("data");
    this.k = -1;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.search(), kPause);
  }

  // Of all profiles that are shown, one after the other.
  async search(): Promise<void> {
    this.controller?.abort();
    this.replies = [];
    if (!this.model.context.store.state.q || this.model.profiles.length === 0) {
      this.count.textContent = "";
      this.on_reply();
      return;
    }
    this.controller = new AbortController();
    const { signal } = this.controller;
    const { source } = this.model.context;
    try {
      this.replies = await Promise.all(
        this.model.profiles.map(async ({ p, profile }) => {
          const span = {
            t0: Math.floor(profile.begin),
            t1: Math.ceil(profile.end),
            px: kMapBuckets * 4,
          };
          return {
            p,
            reply: (await source.json(
              "search",
              { ...this.parameters, ...this.range_of(p), p, ...span },
              signal,
            )) as SearchReply,
          };
        }),
      );
      this.tell();
    } catch (error) {
      if (is_abort(error)) return;
      this.count.textContent = error instanceof Error ? error.message : String(error);
    }
    this.on_reply();
  }

  private get total(): number {
    return this.replies.reduce((sum, { reply }) => sum + reply.count, 0);
  }

  private tell(): void {
    this.count.textContent =
      this.k >= 0
        ? `${integer(this.k + 1)} of ${integer(this.total)}`
        : count_of(this.total, "hit");
  }

  // From the hit that was shown last; at first from what is in view.
  async step(by: 1 | -1): Promise<void> {
    if (this.replies.length === 0) await this.search();
    const { total } = this;
    const first = this.replies[0];
    if (!first || total === 0) return;
    if (this.k < 0 && by > 0 && first.reply.count > 0) {
      const after = Math.floor(this.model.clock.to_profile(first.p, this.model.view.begin));
      const hit = await this.hit(first.p, { after }).catch(() => null);
      if (hit) return this.show(first.p, hit, hit.k);
    }
    const k = this.k < 0 ? (by > 0 ? 0 : total - 1) : (this.k + by + total) % total;
    let before = 0;
    for (const { p, reply } of this.replies) {
      if (k < before + reply.count) return this.show(p, await this.hit(p, { k: k - before }), k);
      before += reply.count;
    }
  }

  private async hit(p: number, which: Parameters): Promise<Hit> {
    return (await this.model.context.source.json("hit", {
      ...this.parameters,
      ...this.range_of(p),
      p,
      ...which,
    })) as Hit;
  }

  // A page of the hits in one profile, for the table of them.
  async hits(p: number, from: number, rows: number): Promise<HitsReply> {
    const parameters = { ...this.parameters, ...this.range_of(p), p, from, rows };
    return (await this.model.context.source.json("hits", parameters)) as HitsReply;
  }

  private async show(p: number, hit: Hit, k: number): Promise<void> {
    this.k = k;
    this.tell();
    await this.model.go_to([p, hit.lane, hit.event]);
  }

  private on_key(event: KeyboardEvent): void {
    if (event.key === "Enter") {
      event.preventDefault();
      void this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.model.context.store.set({ q: "" });
      this.field.blur();
    } else return;
    event.stopPropagation();
  }
}
