// Read by any eyes and hands: axe on each view, light and dark; keys alone; narrow and wide.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type * as Axe from "axe-core";
import { data, inputs, missing } from "../surroundings";
import { kViews } from "./all_views";
import { expect, serve, settled, test, timeline_ready } from "./served";

// Of tables the first rows stand for all.
const kLeftOut = [
  ".grid-space .grid-row:nth-child(n + 4)",
  ".schema details:nth-of-type(n + 3)",
  ".heat tr:nth-child(n + 4)",
];

const kAxe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What axe finds on the page as it stands: rule, and where.
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  return page.evaluate(
    async ([left_out, only]) => {
      const { axe } = window as unknown as { axe: typeof Axe };
      const found = await axe.run(
        { exclude: left_out },
        { resultTypes: ["violations"], ...(only ? { runOnly: only } : {}) },
      );
      return found.violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map((node) => node.html.slice(0, 160))
            .join(" | ")}`,
      );
    },
    [kLeftOut, rules] as const,
  );
}

for (const [name, { needs, path }] of Object.entries(inputs)) {
  test.describe(`on ${name}`, () => {
    test.skip(missing(needs) !== "", missing(needs));
    const served = serve(path);

    // All rules in light colours, contrast again in dark ones.
    test("axe finds nothing on any view, light or dark", async ({ page }) => {
      test.setTimeout(90_000);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await served.open(page);
      await page.evaluate(kAxe);
      const found: string[] = [];
      const tell = (view: string, told: string[]) =>
        found.push(...told.map((each) => `${view}: ${each}`));
      for (const view of kViews) {
        await served.follow(page, `/${view}`);
        tell(view, await violations(page));
        if (view.includes("?tab=")) continue; // Has the colours of its neighbours.
        await page.emulateMedia({ colorScheme: "dark" });
        await settled(page);
        tell(`${view}, dark`, await violations(page, ["color-contrast"]));
        await page.emulateMedia({ colorScheme: "light" });
      }
      expect(found).toEqual([]);
    });
  });
}

test.describe("by hand", () => {
  test.skip(missing(data.text) !== "", missing(data.text));
  const served = serve(() => data.text);

  test("a grid is one tab stop, and arrows, home, end and page keys move its cell", async ({
    page,
  }) => {
    await served.open(page, "/kernels");
    const grid = page.getByRole("grid", { name: "Kernels by type" });
    await grid.focus();
    const active = async () => grid.getAttribute("aria-activedescendant");
    const first = await active();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    expect(await active()).not.toBe(first);
    await page.keyboard.press("Control+End");
    await expect(grid.locator(".cell.active").last()).toBeVisible();
    await expect(grid.locator("[aria-rowindex='34']")).toBeVisible();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter"); // The header: sorts.
    await expect(grid.getByRole("columnheader").first()).not.toHaveAttribute("aria-sort", "none");
  });

  for (const [width, height] of [
    [1280, 720],
    [3840, 2160],
  ] as const) {
    test(`nothing is cut off at ${width} by ${height}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      for (const view of ["overview", "timeline", "kernels", "memory"]) {
        await served.open(page, `/${view}`);
        await settled(page);
        if (view === "timeline") await timeline_ready(page);
        const sideways = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(sideways, view).toBeLessThanOrEqual(0);
        const main = await page
          .locator("main")
          .evaluate((element) => element.scrollWidth - element.clientWidth);
        expect(main, view).toBeLessThanOrEqual(1);
      }
    });
  }
});
