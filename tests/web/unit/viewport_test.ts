import { expect, test } from "@playwright/test";
import {
  bucket_level,
  covers,
  fit,
  limit,
  pan,
  request_window,
  reveal,
  to_time,
  to_x,
  zoom,
} from "../../../web/src/timeline/viewport";

const whole = { begin: 0, end: 1000 };

test("zooming keeps the time under the pointer", () => {
  const view = { begin: 200, end: 600 };
  const before = to_time(300, view, 1000);
  const zoomed = zoom(view, 2, 0.3, whole);
  expect(to_time(300, zoomed, 1000)).toBeCloseTo(before, 9);
  expect(zoomed.end - zoomed.begin).toBe(200);
});

test("a view never leaves the whole, and never gets shorter than a nanosecond", () => {
  expect(pan({ begin: 0, end: 100 }, -5, whole).begin).toBeGreaterThanOrEqual(-21);
  expect(pan({ begin: 900, end: 1000 }, 5, whole).end).toBeLessThanOrEqual(1021);
  const tiny = zoom({ begin: 500, end: 501 }, 1e9, 0.5, whole);
  expect(tiny.end - tiny.begin).toBe(1);
  expect(limit({ begin: -1e9, end: 1e9 }, whole)).toEqual({ begin: -20, end: 1020 });
});

test("what is asked for is aligned to buckets and covers the view with room on both sides", () => {
  const view = { begin: 1234.5, end: 5678.9 };
  const window = request_window(view, 100);
  const size = 2 ** window.level;
  expect(window.level).toBe(bucket_level(view, 100));
  expect(Number.isInteger(window.span.begin / size)).toBe(true);
  expect(Number.isInteger(window.span.end / size)).toBe(true);
  expect(covers(window.span, view)).toBe(true);
  expect((window.span.end - window.span.begin) / size).toBe(window.px);
});

test("a slice in view moves nothing, one outside comes to the middle, a tiny one is zoomed to", () => {
  const view = { begin: 100, end: 300 };
  expect(reveal(view, { begin: 150, end: 200 }, whole, 1000)).toBe(view);
  const moved = reveal(view, { begin: 700, end: 720 }, whole, 1000);
  expect((moved.begin + moved.end) / 2).toBe(710);
  const zoomed = reveal({ begin: 0, end: 1000 }, { begin: 500, end: 500.1 }, whole, 1000);
  expect(zoomed.end - zoomed.begin).toBeLessThan(20);
});

test("fitting leaves a margin, and positions are linear", () => {
  const view = fit({ begin: 400, end: 600 }, whole, 0.5);
  expect(view).toEqual({ begin: 300, end: 700 });
  expect(to_x(500, view, 800)).toBe(400);
});
