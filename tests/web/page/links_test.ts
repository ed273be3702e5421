// A link holds all that is shown: what a user arranged is there again after a reload, in another
// tab, and when the link is followed in a page that shows something else.

import type { Page } from "@playwright/test";
import { missing, npusim, simulated } from "../surroundings";
import { expect, fragment, lane, serve, settled, test } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

interface Arranged {
  view: string;
  what: string;
  arrange: (page: Page) => Promise<unknown>;
  shown: string; // What is on the page then, and not before.
}

const press = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).first().click();

const choose = (page: Page, name: string, option: string) =>
  page.getByRole("combobox", { name, exact: true }).selectOption({ label: option });

const lane_menu = async (page: Page, name: string, entry: string) => {
  await lane(page, name)
    .last()
    .getByRole("button", { name: /What to do/ })
    .click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
};

const kArranged: readonly Arranged[] = [
  {
    view: "overview",
    what: "another rank, one step and a unit",
    arrange: async (page) => {
      await choose(page, "Rank", "Rank 2");
      await choose(page, "Step", "Step 3");
      await choose(page, "Units of time", "ns");
    },
    shown: "Step 3",
  },
  {
    view: "timeline?lanes=overlap",
    what: "lanes pinned, hidden and moved",
    arrange: async (page) => {
      await lane_menu(page, "Free", "Pin to the top");
      await lane_menu(page, "Computing", "Hide");
      await lane_menu(page, "Communication", "Move up");
    },
    shown: "1 hidden",
  },
  {
    view: "timeline?slice=0.3.4",
    what: "a slice, a time, marks and their panel",
    arrange: async (page) => {
      await page.locator(".tl-canvas").focus();
      for (const key of ["f", "r", "m", "w", "d"]) await page.keyboard.press(key);
      await press(page, "Marks");
      await page.getByRole("textbox", { name: "Name of mark 1" }).fill("here, 100 %");
      await page.keyboard.press("Enter");
    },
    shown: "Mark",
  },
  {
    view: "timeline",
    what: "a search and its panel",
    arrange: async (page) => {
      await page.getByRole("searchbox", { name: "Search slices" }).fill("matmul");
      await press(page, "Search");
      await expect(page.getByRole("grid", { name: "Hits" })).toBeVisible();
    },
    shown: "Hits",
  },
  {
    view: "timeline?lanes=overlap",
    what: "the table of a lane",
    arrange: (page) => lane_menu(page, "Computing", "Show as a table"),
    shown: "213 rows",
  },
  {
    view: "kernels",
    what: "grouping, order, filter and one kernel",
    arrange: async (page) => {
      await press(page, "Name");
      const grid = page.getByRole("grid", { name: /Kernels/ });
      await grid.getByRole("columnheader", { name: /Count/ }).click();
      await page.getByRole("searchbox", { name: /Filter rows/ }).fill("matmul");
      await grid.locator("[aria-rowindex='2'] .cell").nth(2).click();
    },
    shown: "Longest",
  },
  {
    view: "kernels",
    what: "the roofline",
    arrange: (page) => press(page, "MFU and roofline"),
    shown: "peak",
  },
  {
    view: "modules",
    what: "the order of modules, and which are closed",
    arrange: async (page) => {
      const grid = page.getByRole("grid", { name: /by module/ });
      await grid.getByRole("columnheader", { name: /Self/ }).click();
      await grid.getByRole("button", { name: "Close" }).nth(1).click();
    },
    shown: "TransformerLayer",
  },
  {
    view: "modules?tab=modules",
    what: "a rectangle of the icicle",
    arrange: (page) => page.locator(".icicle canvas").click({ position: { x: 100, y: 30 } }),
    shown: "Callers and callees",
  },
  {
    view: "modules",
    what: "a sandwich of one module",
    arrange: async (page) => {
      await press(page, "Module icicle");
      await press(page, "Sandwich");
      await page
        .getByRole("grid", { name: "Functions" })
        .locator("[aria-rowindex='3'] .cell")
        .first()
        .click();
    },
    shown: "What it calls",
  },
  {
    view: "idle",
    what: "the order of a table",
    arrange: (page) =>
      page
        .getByRole("grid", { name: "Why the device is idle" })
        .getByRole("columnheader")
        .first()
        .click(),
    shown: "Why the device is idle",
  },
  {
    view: "memory",
    what: "curves, time and moment",
    arrange: async (page) => {
      await choose(page, "Curves", "Components · NPU 0");
      const curve = (await page.locator(".curve .u-over").boundingBox())!;
      await page.mouse.move(curve.x + 200, curve.y + 50);
      await page.mouse.down();
      await page.mouse.move(curve.x + 500, curve.y + 60, { steps: 4 });
      await page.mouse.up();
      await expect(page.getByRole("button", { name: "All of the time" })).toBeVisible();
      await page.mouse.click(curve.x + 300, curve.y + 60);
    },
    shown: "Blocks alive at",
  },
  {
    view: "communication?tab=links",
    what: "what cells of links tell",
    arrange: (page) => press(page, "Size, MB"),
    shown: "Links between ranks",
  },
  {
    view: "communication?tab=steps",
    what: "what cells of ranks tell",
    arrange: (page) => choose(page, "Metric", "Free"),
    shown: "Ranks by steps",
  },
  {
    view: "communication?tab=collectives",
    what: "one collective",
    arrange: (page) =>
      page
        .getByRole("grid", { name: /Collectives of all ranks/ })
        .locator("[aria-rowindex='7'] .cell")
        .first()
        .click(),
    shown: "One collective on every rank",
  },
  {
    view: "host",
    what: "an analysis",
    arrange: (page) => press(page, "Lead over the device"),
    shown: "ahead",
  },
  {
    view: "advisor",
    what: "a filter",
    arrange: (page) =>
      page
        .getByRole("searchbox", { name: /Filter rows/ })
        .first()
        .fill("rank"),
    shown: "Filter",
  },
  {
    view: "compare",
    what: "both sides and their steps",
    arrange: async (page) => {
      await choose(page, "Compared with", "Rank 2");
      await settled(page);
      await choose(page, "Step of the baseline", "Step 2");
      await settled(page);
      await choose(page, "Step of the other", "Step 3");
    },
    shown: "Overall times",
  },
  {
    view: "sql",
    what: "a question",
    arrange: async (page) => {
      await page
        .getByRole("textbox", { name: "SQL" })
        .fill("select 6 * 7 as answer, '%,&=#' as signs");
      await page.keyboard.press("Control+Enter");
    },
    shown: "%,&=#",
  },
];

// All that stands on the page: texts, fields, what is pressed, chosen or sorted.
async function shown(page: Page): Promise<string> {
  await settled(page);
  await page.mouse.move(0, 0); // What is hovered is no part of it.
  // Some tables of SQL are counted when they are first asked for.
  await page.locator(".schema").evaluateAll((all) => all.forEach((each) => each.remove()));
  return page.locator("#page").evaluate(async (root: HTMLElement) => {
    // A table draws the rows that its height asks for in the frame after the one that laid it out.
    for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);
    const fields = [...root.querySelectorAll<HTMLInputElement>("input, select, textarea")];
    const marked = root.querySelectorAll("[aria-pressed=true], [aria-sort]:not([aria-sort=none])");
    return [
      root.innerText,
      ...fields.map((field) => `${field.ariaLabel}: ${field.value}`),
      ...[...marked].map((each) => `${each.textContent} is chosen`),
    ].join("\n");
  });
}

const served = serve(() =>
  simulated(
    "links",
    ...["transformer", "--ranks", "4", "--dp", "4", "--layers", "2", "--steps", "3"],
    ...["--slow-rank", "2:1.3", "--with-modules"],
  ),
);

for (const { view, what, arrange, shown: told } of kArranged) {
  test(`a link to ${view.split("?")[0]} holds ${what}`, async ({ page }) => {
    await served.open(page, `/${view}`);
    await settled(page);
    await arrange(page);
    const before = await shown(page);
    expect(before).toContain(told);
    const link = await fragment(page);
    await page.reload();
    await expect.poll(() => shown(page)).toBe(before);
    expect(await fragment(page)).toBe(link);
    const address = page.url();
    await served.follow(page, "/overview?p=2");
    await served.follow(page, `/${view}`); // Nothing arranged.
    expect(await shown(page)).not.toBe(before);
    await served.follow(page, new URL(address).hash);
    await expect.poll(() => shown(page)).toBe(before);
  });
}
