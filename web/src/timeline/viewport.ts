// The part of time in view, in ns of the page, and how it moves. Pure: a view is a value.

export interface Span {
  begin: number;
  end: number;
}

export const kLeastSpan = 1; // ns
export const kZoomStep = 1.35;
export const kPanStep = 0.12;

export function length(span: Span): number {
  return span.end - span.begin;
}

export function limit(view: Span, whole: Span): Span {
  const room = Math.max(length(whole), kLeastSpan);
  const margin = room * 0.02;
  const wide = Math.min(Math.max(length(view), kLeastSpan), room + 2 * margin);
  const earliest = whole.begin - margin;
  const latest = whole.end + margin - wide;
  // Within the whole; rounding must not move a view that is as long as the whole.
  const begin = Math.max(earliest, Math.min(view.begin, latest));
  return { begin, end: begin + wide };
}

// The time under the pointer (`at`, 0..1 of the width) stays where it is.
export function zoom(view: Span, factor: number, at: number, whole: Span): Span {
  const wide = Math.max(length(view) / factor, kLeastSpan);
  const fixed = view.begin + length(view) * at;
  const begin = fixed - wide * at;
  return limit({ begin, end: begin + wide }, whole);
}

export function pan(view: Span, share: number, whole: Span): Span {
  const by = length(view) * share;
  return limit({ begin: view.begin + by, end: view.end + by }, whole);
}

// With a little room on both sides.
export function fit(span: Span, whole: Span, margin = 0.06): Span {
  const room = Math.max(length(span), kLeastSpan) * margin;
  return limit({ begin: span.begin - room, end: span.end + room }, whole);
}

// Moved only as far as needed, and not zoomed, unless the span would be too small to be seen.
export function reveal(view: Span, span: Span, whole: Span, px: number): Span {
  const wide = length(view);
  if (length(span) > wide) return fit(span, whole);
  if (length(span) > 0 && (length(span) / wide) * px < 3) return fit(span, whole, 8);
  if (span.begin >= view.begin && span.end <= view.end) return view;
  const middle = (span.begin + span.end) / 2;
  return limit({ begin: middle - wide / 2, end: middle + wide / 2 }, whole);
}

export function to_x(time: number, view: Span, width: number): number {
  return ((time - view.begin) / length(view)) * width;
}

export function to_time(x: number, view: Span, width: number): number {
  return view.begin + (x / width) * length(view);
}

// Buckets of a request are 2^k ns long.
export function bucket_level(view: Span, px: number): number {
  return Math.max(0, Math.floor(Math.log2(length(view) / Math.max(px, 1))));
}

// What is asked for when `view` shows: half a view more on both sides, on bucket borders, so that
// panning finds it there. The number of pixels grows with it.
export function request_window(view: Span, px: number): { span: Span; px: number; level: number } {
  const level = bucket_level(view, px);
  const size = 2 ** level;
  const begin = Math.floor((view.begin - length(view) / 2) / size) * size;
  const end = Math.ceil((view.end + length(view) / 2) / size) * size;
  return { span: { begin, end }, px: Math.max(1, Math.floor((end - begin) / size)), level };
}

export function covers(outer: Span, inner: Span): boolean {
  return outer.begin <= inner.begin && outer.end >= inner.end;
}

export function intersect(a: Span, b: Span): Span | undefined {
  const begin = Math.max(a.begin, b.begin);
  const end = Math.min(a.end, b.end);
  return begin < end ? { begin, end } : undefined;
}
