// Colours of names as the canvas wants them, made once per name and theme.

import type { Names } from "../api/names";
import { blend, category_key, parse_colour, slice_paint } from "../theme/palette";

export interface NamePaint {
  name: string;
  category: string;
  fills: string[]; // By busy share of a bucket, from little to all.
  text: string;
  is_gap: boolean; // Drawn hatched: nothing runs here.
  lower: string; // For search.
}

export const kBusySteps = 8;
const kLeastBusy = 0.3; // A bucket with one short slice is still seen.

function rgb(text: string): readonly [number, number, number] {
  const parts = text.slice(4, -1).split(",").map(Number);
  return [parts[0]!, parts[1]!, parts[2]!];
}

export class PaintCache {
  private paints: (NamePaint | undefined)[] = [];
  private unknown: NamePaint;

  constructor(
    private readonly names: Names,
    private readonly dark: boolean,
  ) {
    this.unknown = this.make("", "other");
  }

  get(id: number): NamePaint {
    const kept = this.paints[id];
    if (kept) return kept;
    const entry = this.names.get(id);
    if (!entry) return this.unknown;
    return (this.paints[id] = this.make(entry.name, entry.category));
  }

  private make(name: string, category: string): NamePaint {
    const paint = slice_paint(category, name, this.dark);
    const back = parse_colour(this.dark ? "#14171C" : "#FFFFFF");
    const full = rgb(paint.fill);
    const fills: string[] = [];
    for (let step = 0; step < kBusySteps; step++) {
      const share = kLeastBusy + (1 - kLeastBusy) * (step / (kBusySteps - 1));
      fills.push(`rgb(${blend(back, full, share).map(Math.round).join(",")})`);
    }
    const is_gap = category.startsWith("idle") || category_key(category) === "free";
    return { name, category, fills, text: paint.text, is_gap, lower: name.toLowerCase() };
  }
}

// Lines at 45 degrees, for what is not work and for what is not certain.
export function hatch_pattern(
  context: CanvasRenderingContext2D,
  colour: string,
  distance: number,
): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = tile.height = distance;
  const pen = tile.getContext("2d");
  if (!pen) return null;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.2;
  for (const shift of [-distance, 0, distance]) {
    pen.beginPath();
    pen.moveTo(shift, distance);
    pen.lineTo(shift + distance, 0);
    pen.stroke();
  }
  return context.createPattern(tile, "repeat");
}
