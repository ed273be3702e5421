// Which differences a heat map shows.

import { expect, test } from "@playwright/test";
import { heat_share } from "../../../web/src/charts/heat_scale";

const scale = { low: 80, high: 200, usual: 100, noise: 5 };

test("what is as usual has one colour, however small the differences are", () => {
  const usual = heat_share(100, scale);
  for (const value of [95, 98.2, 104.9, 105]) expect(heat_share(value, scale)).toBe(usual);
  const even = { low: 99, high: 101, usual: 100, noise: 5 };
  expect(heat_share(101, even)).toBe(heat_share(99, even));
});

test("what is far from usual is fuller or paler, the farther the more", () => {
  expect(heat_share(200, scale)).toBe(1);
  expect(heat_share(80, scale)).toBe(0);
  const rising = [80, 90, 100, 120, 150, 200].map((value) => heat_share(value, scale));
  expect([...rising].sort((a, b) => a - b)).toEqual(rising);
  expect(new Set(rising).size).toBe(rising.length);
});

test("a value just beyond noise is told from the usual by little", () => {
  const just = heat_share(105.5, { low: 95, high: 105.5, usual: 100, noise: 5 });
  expect(just).toBeLessThan(0.4);
});
