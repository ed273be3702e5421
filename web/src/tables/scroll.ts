// Rows of equal height in a scrolled space that browsers can hold. Pure.

// Chrome ends near 33 million px, Firefox near 17: above this the scroll bar is scaled.
export const kMostPx = 16_000_000;

export interface Window {
  first: number;
  last: number; // One past the end.
  shift: number; // y of row `first` within the space.
}

export function space_height(total: number, row: number): number {
  return Math.min(total * row, kMostPx);
}

// Rows around those at `top`, a screen more on either side; rows stand at whole pixels.
export function visible_window(top: number, height: number, total: number, row: number): Window {
  const full = total * row;
  const space = space_height(total, row);
  const farthest = Math.max(space - height, 1);
  const scale = full > space ? (full - height) / farthest : 1;
  const true_top = top * scale;
  const spare = Math.ceil(height / row / 2);
  const first = Math.max(0, Math.floor(true_top / row) - spare);
  const last = Math.min(total, Math.ceil((true_top + height) / row) + spare);
  return { first, last, shift: Math.round(top + first * row - true_top) };
}

// Where to scroll so that row `i` is in view; `top` if it is already.
export function scroll_to(
  i: number,
  top: number,
  height: number,
  total: number,
  row: number,
): number {
  const full = total * row;
  const space = space_height(total, row);
  const scale = full > space ? (full - height) / Math.max(space - height, 1) : 1;
  const true_top = top * scale;
  if (i * row < true_top) return (i * row) / scale;
  if ((i + 1) * row > true_top + height) return ((i + 1) * row - height) / scale;
  return top;
}
