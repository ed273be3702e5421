// Key numbers of a profile, each leading to the view that explains it.

import { h } from "../dom/element";
import { bytes, count_of, duration, exact_duration, fixed, integer, share } from "../text/numbers";
import type { OverviewData, OverviewReply } from "./overview_data";
import { busy, failure } from "./parts";
import type { StepRow } from "./step_parts";

interface Tile {
  title: string;
  value: string;
  note: string;
  hint?: string;
  view?: string;
}

const kProcess = "APP"; // The component that is the whole process.

function largest(
  all: OverviewReply["memory_peaks"],
  value: string,
  counts: (component: string) => boolean = () => true,
): OverviewReply["memory_peaks"][number] | null {
  const peaks = all.filter((each) => each.value === value && counts(each.component));
  return peaks.reduce<(typeof peaks)[number] | null>(
    (most, each) => (most === null || each.bytes > most.bytes ? each : most),
    null,
  );
}

export class OverviewTiles {
  readonly element = h("div", { class: "tiles", role: "list", "aria-label": "Key numbers" });

  constructor(private readonly data: OverviewData) {
    void this.draw();
  }

  private async draw(): Promise<void> {
    const makers = [
      () => this.time_tile(),
      () => this.computing_tile(),
      () => this.communication_tile(),
      () => this.free_tile(),
      () => this.mfu_tile(),
      () => this.memory_tile(),
      () => this.reserved_tile(),
      () => this.loss_tile(),
    ];
    for (const make of makers) {
      const place = h("div", { class: "tile", role: "listitem" }, busy("…"));
      this.element.append(place);
      make()
        .then((tile) => this.fill_tile(place, tile))
        .catch(() => place.remove());
    }
    const first = await this.data.ask("step_time").catch((error: unknown) => error);
    if (first instanceof Error)
      this.element.after(h("div", { style: { "grid-column": "span 12" } }, failure(first, true)));
  }

  private fill_tile(place: HTMLElement, tile: Tile | null): void {
    if (!tile) {
      place.remove();
      return;
    }
    const inside = [
      h("span", { class: "tile-title" }, tile.title),
      h("span", { class: "tile-value", title: tile.hint }, tile.value),
      h("span", { class: "tile-note" }, tile.note),
    ];
    place.replaceChildren(
      tile.view
        ? h(
            "button",
            {
              type: "button",
              onclick: () => this.data.context.store.set({ view: tile.view! }, "push"),
            },
            inside,
          )
        : h("div", {}, inside),
    );
  }

  private async sums(): Promise<StepRow & { count: number }> {
    const rows = await this.data.step_table();
    const add = (key: "total" | "computing" | "communication" | "not_overlapped" | "free") =>
      rows.reduce((sum, row) => sum + row[key], 0);
    if (rows.length === 0) throw new Error("No steps.");
    return {
      ...rows[0]!,
      total: add("total"),
      computing: add("computing"),
      communication: add("communication"),
      not_overlapped: add("not_overlapped"),
      free: add("free"),
      count: rows.length,
    };
  }

  private async time_tile(): Promise<Tile> {
    const { total, count } = await this.sums();
    const note = count > 1 ? `mean of ${count_of(count, "step")}` : "of one step";
    return {
      title: "Step time",
      value: duration(total / count),
      note,
      hint: exact_duration(total / count),
      view: "timeline",
    };
  }

  private async computing_tile(): Promise<Tile> {
    const { total, computing } = await this.sums();
    return {
      title: "Computing",
      value: share(computing / total),
      note: duration(computing),
      hint: exact_duration(computing),
      view: "kernels",
    };
  }

  private async communication_tile(): Promise<Tile> {
    const { total, not_overlapped, communication } = await this.sums();
    const uncovered = `${duration(not_overlapped)} uncovered`;
    const all = communication / total;
    return {
      title: "Communication",
      value: share(not_overlapped / total),
      note: communication > 0 ? `${uncovered}, ${share(all)} in all` : "none",
      hint: `${exact_duration(not_overlapped)} not hidden behind computing; all communication ${exact_duration(communication)}, ${fixed(all * 100, 2)} %`,
      view: "communication",
    };
  }

  private async free_tile(): Promise<Tile> {
    const { total, free } = await this.sums();
    return {
      title: "Free",
      value: share(free / total),
      note: duration(free),
      hint: exact_duration(free),
      view: "idle",
    };
  }

  private async mfu_tile(): Promise<Tile | null> {
    const mfu = await this.data.part("mfu");
    if (!mfu || mfu.all === null)
      return { title: "MFU", value: "–", note: "the peak is not known", view: "kernels" };
    const note = mfu.matmul === null ? "all kernels" : `matrix products ${share(mfu.matmul)}`;
    return { title: "MFU", value: share(mfu.all), note, view: "kernels" };
  }

  // Of the allocator that has most.
  private async memory_tile(): Promise<Tile | null> {
    const peak = largest(await this.data.part("memory_peaks"), "allocated");
    if (!peak) return null;
    return {
      title: "Memory peak",
      value: bytes(peak.bytes),
      note: `allocated, ${peak.component}`,
      hint: `${integer(peak.bytes)} B`,
      view: "memory",
    };
  }

  // What allocators hold of the device; the process has more than they know of.
  private async reserved_tile(): Promise<Tile | null> {
    const peaks = await this.data.part("memory_peaks");
    const peak = largest(peaks, "reserved", (component) => component !== kProcess);
    const process = largest(peaks, "reserved", (component) => component === kProcess);
    const shown = peak ?? process;
    if (!shown) return null;
    return {
      title: "Memory reserved",
      value: bytes(shown.bytes),
      note:
        peak && process
          ? `${peak.component}; the process ${bytes(process.bytes)}`
          : `peak, ${shown.component}`,
      hint: `${integer(shown.bytes)} B`,
      view: "memory",
    };
  }

  private async loss_tile(): Promise<Tile> {
    const profile = await this.data.context.profiles.load(this.data.context.store.state.p);
    const count = profile.losses.length;
    return {
      title: "Losses",
      value: count === 0 ? "none" : String(count),
      note: count === 0 ? "the profile is whole" : "parts are missing",
    };
  }
}
