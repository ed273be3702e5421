// Curves over time with uPlot: the largest and smallest value of each pixel, never a thinned line.

import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h, replace_children } from "../dom/element";
import { duration, short_duration } from "../text/numbers";
import { category_paint } from "../theme/palette";
import { css_colour, is_dark, on_theme_change } from "../theme/theme";

export interface CurveSeries {
  name: string;
  category: string;
  min: ArrayLike<number | null>;
  max: ArrayLike<number | null>;
  dash?: boolean;
}

export interface CurveData {
  time: ArrayLike<number>; // ns
  series: CurveSeries[];
}

export interface CurveOptions {
  label: string;
  height: number;
  value: (value: number) => string;
  axis_value: (value: number) => string;
  steps?: number[]; // Of the axis of values.
  on_click?: (time: number) => void;
  on_zoom?: (begin: number, end: number) => void;
  mark?: () => number | null; // A moment that is marked.
}

// Each series is two lines of the plot, the most and the least, with the room between filled.
const kLines = 2;

export class Curve {
  readonly element: HTMLElement;
  private readonly place: HTMLElement;
  private readonly legend = h("div", { class: "curve-legend" });
  private plot: UPlot | null = null;
  private data: CurveData = { time: [], series: [] };
  private readonly hidden = new Set<string>();
  private readonly stop_theme: () => void;
  private readonly observer: ResizeObserver;
  private names = "";

  constructor(private readonly options: CurveOptions) {
    this.place = h("div", { role: "img", "aria-label": options.label });
    this.element = h("div", { class: "curve" }, this.place, this.legend);
    this.place.style.height = `${options.height}px`;
    this.stop_theme = on_theme_change(() => this.build());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
  }

  show(data: CurveData): void {
    this.data = data;
    const names = data.series.map((each) => each.name).join("\n");
    if (!this.plot || names !== this.names) this.build();
    else this.plot.setData(this.columns());
    this.names = names;
    this.draw_legend(null);
  }

  redraw(): void {
    this.plot?.redraw(false);
  }

  destroy(): void {
    this.stop_theme();
    this.observer.disconnect();
    this.plot?.destroy();
  }

  private columns(): UPlot.AlignedData {
    const columns: ArrayLike<number | null>[] = [this.data.time];
    for (const each of this.data.series) columns.push(each.max, each.min);
    return columns as unknown as UPlot.AlignedData;
  }

  private colour(each: CurveSeries): string {
    return category_paint(each.category, is_dark()).fill;
  }

  // Names of curves, with their values at the pointer; a click hides one.
  private draw_legend(at: number | null): void {
    const entry = (each: CurveSeries, i: number) => {
      const value = at === null ? null : (each.max[at] ?? null);
      const shown = !this.hidden.has(each.name);
      return h(
        "button",
        {
          type: "button",
          class: "button quiet",
          "aria-pressed": String(shown),
          onclick: () => {
            if (!this.hidden.delete(each.name)) this.hidden.add(each.name);
            for (let line = 0; line < kLines; line++)
              this.plot?.setSeries(1 + i * kLines + line, { show: !this.hidden.has(each.name) });
            this.draw_legend(null);
          },
        },
        h("span", {
          class: each.dash ? "line-sign dashed" : "line-sign",
          "aria-hidden": "true",
          style: { "--swatch": this.colour(each) },
        }),
        each.name,
        h("span", { class: "curve-value" }, value === null ? "" : this.options.value(value)),
      );
    };
    const time = at === null ? null : this.data.time[at];
    replace_children(
      this.legend,
      this.data.series.map(entry),
      h(
        "span",
        { class: "faint" },
        time === null || time === undefined ? "" : `at ${duration(time)}`,
      ),
    );
  }

  private series(): { series: UPlot.Series[]; bands: UPlot.Band[] } {
    const series: UPlot.Series[] = [{}];
    const bands: UPlot.Band[] = [];
    const paths = UPlot.paths.stepped!({ align: 1 });
    for (const each of this.data.series) {
      const stroke = this.colour(each);
      const show = !this.hidden.has(each.name);
      const common = {
        stroke,
        paths,
        show,
        points: { show: false },
        ...(each.dash ? { dash: [6, 4] } : {}),
      };
      bands.push({ series: [series.length, series.length + 1], fill: stroke });
      series.push({ ...common, width: 1.5 }, { ...common, width: 0.5 });
    }
    return { series, bands };
  }

  private build(): void {
    this.plot?.destroy();
    this.plot = null;
    const width = this.element.clientWidth;
    if (width === 0 || this.data.series.length === 0) return;
    const line = css_colour("--line");
    const font = `11px ${css_colour("--font")}`;
    const axis = {
      stroke: css_colour("--text-faint"),
      font,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 4 },
    };
    this.plot = new UPlot(
      {
        width,
        height: this.options.height,
        ...this.series(),
        axes: [
          { ...axis, values: (_, ticks) => ticks.map((tick) => short_duration(tick)), space: 90 },
          {
            ...axis,
            values: (_, ticks) => ticks.map((tick) => this.options.axis_value(tick)),
            size: 76,
            ...(this.options.steps ? { incrs: this.options.steps } : {}),
          },
        ],
        scales: {
          x: { time: false },
          y: { range: (_, low, high) => [Math.min(low, 0), high * 1.06 || 1] },
        },
        legend: { show: false },
        cursor: {
          drag: { x: this.options.on_zoom !== undefined, y: false, setScale: false },
          points: { show: false },
        },
        hooks: {
          draw: [(plot) => this.draw_mark(plot)],
          setCursor: [(plot) => this.draw_legend(this.place_at(plot))],
          setSelect: [(plot) => this.take_selection(plot)],
        },
      },
      this.columns(),
      this.place,
    );
    this.plot.over.addEventListener("click", (event) => {
      if (this.plot) this.options.on_click?.(this.plot.posToVal(event.offsetX, "x"));
    });
  }

  // A value holds until the next one: at the pointer it is the last, not the nearest.
  private place_at(plot: UPlot): number | null {
    const { left } = plot.cursor;
    if (left === undefined || left < 0) return null;
    const time = plot.posToVal(left, "x");
    const { time: times } = this.data;
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low > 0 ? low - 1 : null;
  }

  private take_selection(plot: UPlot): void {
    const { left, width } = plot.select;
    if (width < 3) return;
    this.options.on_zoom?.(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private draw_mark(plot: UPlot): void {
    const at = this.options.mark?.() ?? null;
    if (at === null) return;
    const x = plot.valToPos(at, "x", true);
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.setLineDash([]);
    ctx.strokeStyle = css_colour("--select");
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  private resize(): void {
    const width = this.element.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.build();
    else if (Math.abs(this.plot.width - width) > 1)
      this.plot.setSize({ width, height: this.options.height });
  }
}
