// Nested rectangles over time or share: icicle and flame graphs, on a canvas of its own.

import { Hint } from "../dom/hint";
import { h } from "../dom/element";
import { duration, share } from "../text/numbers";
import { slice_paint } from "../theme/palette";
import { css_colour, is_dark, on_theme_change } from "../theme/theme";

// name, depth, begin, length, self, count, lane, event
export type StackNode = [
  number,
  number,
  number,
  number,
  number,
  number,
  number | null,
  number | null,
];

export interface StackData {
  total: number;
  names: string[];
  nodes: StackNode[];
}

export interface IcicleOptions {
  label: string;
  upwards?: boolean; // Flames: callers below.
  category_of(name: string): string;
  on_pick?: (name: string, node: StackNode) => void;
  // What is in view and picked, as a text for the address.
  kept?: string;
  on_keep?: (text: string) => void;
}

const kRow = 19;
const kLeastText = 24;

export class Icicle {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly space = h("div", {});
  private readonly hint = new Hint();
  private readonly live = h("div", { class: "visually-hidden", "aria-live": "polite" });
  private view = { begin: 0, end: 1 };
  private picked: StackNode | null = null;
  private depth = 1;
  private frame = 0;
  private readonly stop_theme: () => void;

  constructor(
    private data: StackData,
    private readonly options: IcicleOptions,
  ) {
    this.canvas = h("canvas", {
      tabindex: 0,
      role: "application",
      "aria-label": `${options.label}. Arrows move, enter zooms, backspace zooms out.`,
    });
    this.element = h(
      "div",
      { class: "icicle", onscroll: () => this.redraw() },
      this.canvas,
      this.space,
      this.live,
    );
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.hint.hide());
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.redraw()).observe(this.element);
    this.stop_theme = on_theme_change(() => this.redraw());
    this.show(data);
    this.restore();
  }

  private restore(): void {
    const kept = /^view=([\d.]+)~([\d.]+)(?:~(\d+))?$/.exec(this.options.kept ?? "");
    if (!kept) return;
    const [begin, end] = [Number(kept[1]), Number(kept[2])];
    const node = kept[3] === undefined ? undefined : this.data.nodes[Number(kept[3])];
    if (node) this.pick(node, false);
    if (begin < end) this.view = { begin, end };
  }

  private keep(): void {
    const { begin, end } = this.view;
    const picked = this.picked ? `~${this.data.nodes.indexOf(this.picked)}` : "";
    this.options.on_keep?.(`view=${begin}~${end}${picked}`);
  }

  show(data: StackData): void {
    this.data = data;
    this.depth = data.nodes.reduce((most, node) => Math.max(most, node[1] + 1), 1);
    const begin = data.nodes.reduce((least, node) => Math.min(least, node[2]), Infinity);
    const end = data.nodes.reduce((most, node) => Math.max(most, node[2] + node[3]), 1);
    this.view = { begin: Number.isFinite(begin) ? begin : 0, end };
    this.picked = null;
    this.redraw();
  }

  destroy(): void {
    this.hint.hide();
    this.stop_theme();
  }

  private get whole(): { begin: number; end: number } {
    const tops = this.data.nodes.filter((node) => node[1] === 0);
    return {
      begin: Math.min(...tops.map((node) => node[2])),
      end: Math.max(...tops.map((node) => node[2] + node[3])),
    };
  }

  private redraw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private y_of(depth: number, height: number): number {
    const { scrollTop } = this.element;
    if (!this.options.upwards) return depth * kRow - scrollTop;
    return Math.max(this.depth * kRow, height) - (depth + 1) * kRow - scrollTop;
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0) return;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.space.style.height = `${Math.max(0, this.depth * kRow - height)}px`;
    const pen = this.canvas.getContext("2d", { alpha: false });
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = css_colour("--back");
    pen.fillRect(0, 0, width, height);
    pen.font = `11px ${css_colour("--font")}`;
    pen.textBaseline = "middle";
    for (const node of this.data.nodes) this.draw_node(pen, node, width, height);
  }

  private draw_node(
    pen: CanvasRenderingContext2D,
    node: StackNode,
    width: number,
    height: number,
  ): void {
    const scale = width / (this.view.end - this.view.begin);
    const x0 = Math.max((node[2] - this.view.begin) * scale, 0);
    const x1 = Math.min((node[2] + node[3] - this.view.begin) * scale, width);
    if (x1 <= 0 || x0 >= width || x1 - x0 < 0.3) return;
    const y = this.y_of(node[1], height);
    if (y + kRow < 0 || y > height) return;
    const name = this.data.names[node[0]] ?? "";
    const paint = slice_paint(this.options.category_of(name), name, is_dark());
    pen.fillStyle = paint.fill;
    pen.fillRect(x0, y, Math.max(x1 - x0 - 0.7, 0.6), kRow - 1);
    if (this.picked && this.picked[0] === node[0]) {
      pen.strokeStyle = css_colour("--select");
      pen.lineWidth = 2;
      pen.strokeRect(x0 + 1, y + 1, Math.max(x1 - x0 - 2, 1), kRow - 3);
    }
    if (x1 - x0 < kLeastText) return;
    pen.fillStyle = paint.text;
    const signs = Math.floor((x1 - x0 - 8) / 6.1);
    pen.fillText(
      name.length > signs ? `${name.slice(0, Math.max(signs - 1, 1))}…` : name,
      x0 + 4,
      y + kRow / 2,
    );
  }

  private node_at(x: number, y: number): StackNode | null {
    const { clientWidth: width, clientHeight: height } = this.element;
    const time = this.view.begin + (x / width) * (this.view.end - this.view.begin);
    return (
      this.data.nodes.find((node) => {
        const top = this.y_of(node[1], height);
        return y >= top && y < top + kRow && time >= node[2] && time < node[2] + node[3];
      }) ?? null
    );
  }

  private text_of(node: StackNode): string[] {
    const lines = [
      this.data.names[node[0]] ?? "",
      `${duration(node[3])}, ${share(node[3] / Math.max(this.data.total, 1))} of all`,
    ];
    if (node[4] !== node[3]) lines.push(`self ${duration(node[4])}`);
    if (node[5] > 1) lines.push(`${node[5]} calls`);
    return lines;
  }

  private hover(event: PointerEvent): void {
    const node = this.node_at(event.offsetX, event.offsetY);
    if (node) this.hint.show(this.text_of(node), event.clientX, event.clientY);
    else this.hint.hide();
  }

  private click(event: MouseEvent): void {
    const node = this.node_at(event.offsetX, event.offsetY);
    if (node) this.pick(node, true);
    else this.view = this.whole;
    this.keep();
    this.redraw();
  }

  private pick(node: StackNode, zooms: boolean): void {
    this.picked = node;
    if (zooms) this.view = { begin: node[2], end: node[2] + Math.max(node[3], 1) };
    this.live.textContent = this.text_of(node).join(", ");
    this.options.on_pick?.(this.data.names[node[0]] ?? "", node);
    this.redraw();
  }

  private key(event: KeyboardEvent): void {
    const now = this.picked ?? this.data.nodes[0];
    if (!now) return;
    const same = this.data.nodes.filter((node) => node[1] === now[1]).sort((a, b) => a[2] - b[2]);
    const place = same.indexOf(now);
    const inside = (node: StackNode, other: StackNode) =>
      other[2] >= node[2] && other[2] < node[2] + Math.max(node[3], 1);
    const child = this.data.nodes.find((node) => node[1] === now[1] + 1 && inside(now, node));
    const parent = this.data.nodes.find((node) => node[1] === now[1] - 1 && inside(node, now));
    const down = this.options.upwards ? parent : child;
    const up = this.options.upwards ? child : parent;
    const to: Record<string, StackNode | undefined> = {
      ArrowRight: same[place + 1],
      ArrowLeft: same[place - 1],
      ArrowDown: down,
      ArrowUp: up,
    };
    if (event.key === "Enter") this.pick(now, true);
    else if (event.key === "Backspace" || event.key === "0") this.view = this.whole;
    else if (to[event.key]) this.pick(to[event.key]!, false);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.keep();
    this.redraw();
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width;
    const wide = this.view.end - this.view.begin;
    const whole = this.whole;
    const next = Math.min(wide * Math.exp(event.deltaY / 260), whole.end - whole.begin);
    const begin = Math.max(
      whole.begin,
      Math.min(this.view.begin + (wide - next) * at, whole.end - next),
    );
    this.view = { begin, end: begin + next };
    this.keep();
    this.redraw();
  }
}
