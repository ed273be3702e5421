// Widths of texts in the fonts of tables, in px.

import { css_colour } from "../theme/theme";

let pen: CanvasRenderingContext2D | null = null;

export function text_width(text: string, bold = false): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return text.length * 7.2;
  pen.font = `${bold ? "600 " : ""}12px ${css_colour("--font")}`;
  return pen.measureText(text).width;
}
