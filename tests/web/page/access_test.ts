// Read by any eyes and hands: axe on each view, light and dark; keys alone; narrow and wide.

import AxeBuilder from "@axe-core/playwright";
import { data, missing } from "../surroundings";
import { expect, serve, test, timeline_ready } from "./served";

test.skip(missing(data.text) !== "", missing(data.text));
const served = serve(() => data.text);

const kViews = [
  "overview",
  "timeline?slice=0.0.5",
  "kernels",
  "modules",
  "modules?tab=python",
  "memory",
  "communication?tab=links",
  "compare",
  "sql",
];

// All rules in light colours, contrast again in dark ones. Of tables the first rows stand for all.
for (const scheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any view, ${scheme}`, async ({ page }) => {
    test.setTimeout(150_000);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const view of scheme === "dark" ? kViews.slice(0, 4) : kViews) {
      await served.open(page, `/${view}`);
      await page.waitForLoadState("networkidle");
      const axe = new AxeBuilder({ page })
        .exclude(".grid-space .grid-row:nth-child(n + 4)")
        .exclude(".schema details:nth-of-type(n + 3)");
      const { violations } = await (
        scheme === "dark" ? axe.withRules(["color-contrast"]) : axe
      ).analyze();
      const told = violations.map(
        (each) =>
          `${view}: ${each.id}: ${each.nodes
            .slice(0, 3)
            .map((node) => node.html.slice(0, 160))
            .join(" | ")}`,
      );
      expect(told).toEqual([]);
    }
  });
}

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
      await page.waitForLoadState("networkidle");
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
