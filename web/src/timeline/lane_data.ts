// Data of lanes that are looked at: asked for in one batch for all lanes in view, kept until the
// view leaves what was asked for, drawn stretched until newer data is there.

import { is_abort, type Source } from "../api/client";
import type { Names } from "../api/names";
import { decode_slices, kBucket, type LaneData } from "../api/slices";
import { bucket_level, covers, intersect, request_window, type Span } from "./viewport";

interface Kept {
  data: LaneData;
  span: Span;
  level: number;
  is_exact: boolean; // No buckets: right at any zoom within its span.
}

interface Flight {
  controller: AbortController;
  span: Span;
  level: number;
  lanes: Set<number>;
}

const kPauseAfterError = 2000; // ms
const kMostLanes = 1500; // The server takes 2000.
const kWholeSpan: Span = { begin: -Infinity, end: Infinity };

function has_buckets(data: LaneData): boolean {
  if (data.kind === "counter") return true; // Counters are sampled at every level.
  for (let i = 0; i < data.n; i++) if (data.flags[i]! & kBucket) return true;
  return false;
}

// Of one profile, in its own time.
export class LaneDataStore {
  private readonly kept = new Map<number, Kept>();
  private flight: Flight | null = null;
  private wanted: { lanes: number[]; view: Span; px: number } | null = null;
  error: unknown = null;
  private quiet_until = 0; // After an error nothing is asked for a while.

  constructor(
    private readonly source: Source,
    private readonly p: number,
    private readonly names: Names,
    private readonly series_of: (lane: number) => number,
    private readonly on_data: () => void,
  ) {}

  get(lane: number): LaneData | undefined {
    return this.kept.get(lane)?.data;
  }

  // Whether what is shown for `lane` is not yet what was asked for.
  is_stale(lane: number, view: Span, px: number): boolean {
    const kept = this.kept.get(lane);
    return !kept || !this.serves(kept, view, bucket_level(view, px));
  }

  get is_waiting(): boolean {
    return this.flight !== null;
  }

  want(lanes: number[], view: Span, px: number): void {
    this.wanted = { lanes, view, px };
    this.ask();
  }

  private serves(kept: Kept, view: Span, level: number): boolean {
    return covers(kept.span, view) && (kept.is_exact || kept.level === level);
  }

  private ask(): void {
    if (!this.wanted || performance.now() < this.quiet_until) return;
    const { lanes, view, px } = this.wanted;
    const level = bucket_level(view, px);
    const missing = lanes.filter((lane) => {
      const kept = this.kept.get(lane);
      return !kept || !this.serves(kept, view, level);
    });
    if (missing.length === 0) return;
    if (this.flight) {
      if (!this.is_overtaken(this.flight, view, level)) return; // Asked again when it lands.
      this.flight.controller.abort();
    }
    const window = request_window(view, px);
    const flight = {
      controller: new AbortController(),
      span: window.span,
      level,
      lanes: new Set(missing.slice(0, kMostLanes)),
    };
    this.flight = flight;
    void this.fetch(flight, window.px);
  }

  private is_overtaken(flight: Flight, view: Span, level: number): boolean {
    return Math.abs(flight.level - level) > 1 || !intersect(flight.span, view);
  }

  private async fetch(flight: Flight, px: number): Promise<void> {
    try {
      const { begin, end } = flight.span;
      const parameters = { p: this.p, t0: begin, t1: end, px, lanes: [...flight.lanes].join(",") };
      const buffer = await this.source.binary("slices", parameters, flight.controller.signal);
      const reply = decode_slices(buffer, this.series_of);
      await this.names.ensure(this.largest_name(reply.lanes));
      this.take(flight, reply.lanes);
      this.error = null;
    } catch (error) {
      if (is_abort(error)) return;
      this.error = error;
      this.quiet_until = performance.now() + kPauseAfterError;
      console.error(error);
    }
    if (this.flight === flight) this.flight = null;
    this.on_data();
    this.ask();
  }

  private take(flight: Flight, lanes: readonly LaneData[]): void {
    // A report holds all of its time at once.
    const span = this.source.is_report ? kWholeSpan : flight.span;
    for (const data of lanes) {
      const is_exact = this.source.is_report || !has_buckets(data);
      this.kept.set(data.lane, { data, span, level: flight.level, is_exact });
    }
    for (const lane of flight.lanes) {
      if (lanes.some((data) => data.lane === lane)) continue;
      const n = 0;
      const empty = {
        n,
        start: new Float64Array(n),
        duration: new Float64Array(n),
        name: new Uint32Array(n),
        event: new Uint32Array(n),
        count: new Uint32Array(n),
        row: new Uint16Array(n),
        busy: new Uint8Array(n),
        flags: new Uint8Array(n),
      };
      this.kept.set(lane, {
        data: { lane, kind: "slices", ...empty },
        span,
        level: flight.level,
        is_exact: false,
      });
    }
  }

  private largest_name(lanes: readonly LaneData[]): number {
    let largest = -1;
    for (const data of lanes) {
      if (data.kind === "counter") continue;
      for (let i = 0; i < data.n; i++) if (data.name[i]! > largest) largest = data.name[i]!;
    }
    return largest;
  }
}
