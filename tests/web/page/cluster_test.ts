// Sixteen ranks, and a job with one slow rank: simulated, so that the truth is known.

import { missing, npusim, simulated, slow_rank_job } from "../surroundings";
import { expect, fragment, lane, serve, test, timeline_ready } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

test.describe("sixteen ranks", () => {
  const served = serve(() =>
    simulated(
      "ranks16",
      "transformer",
      "--ranks",
      "16",
      "--tp",
      "4",
      "--pp",
      "2",
      "--dp",
      "2",
      "--micro-batches",
      "2",
      "--layers",
      "2",
      "--steps",
      "2",
    ),
  );

  test("are told to be simulated, and are read when they are looked at", async ({ page }) => {
    await served.open(page);
    await expect(page.getByRole("note")).toContainText("simulated");
    const session = (await served.ask(page, "session")) as { profiles: { state: string }[] };
    expect(session.profiles).toHaveLength(16);
    expect(session.profiles.filter((profile) => profile.state === "unread").length).toBeGreaterThan(
      10,
    );
  });

  // Before any that reads all ranks.
  test("are said to be read as long as they are", async ({ page }) => {
    let let_go = () => {};
    const held = new Promise<void>((resolve) => (let_go = resolve));
    let asked = 0;
    await page.route(/api\/profile\?p=9\b/, async (route) => {
      if (asked++ > 0) await held;
      await route.continue();
    });
    await served.open(page, "/overview?p=9");
    await expect(page.getByRole("banner")).toContainText("Still reading Rank 9");
    let_go();
    await expect(page.getByRole("listitem", { name: /Step \d/ })).toHaveCount(2);
    await expect(page.getByRole("banner")).not.toContainText("reading");
  });

  test("stand as a map of ranks by steps, a cell leads to its step", async ({ page }) => {
    test.setTimeout(60_000);
    await served.open(page, "/communication?tab=steps");
    const map = page.getByRole("region", { name: /of each rank and step/ });
    await expect(map.locator("tbody tr")).toHaveCount(16, { timeout: 40_000 });
    await map.locator("tbody tr").nth(5).getByRole("button").first().click();
    await timeline_ready(page);
    await expect.poll(() => fragment(page)).toMatch(/p=5&.*range=/);
  });

  test("stand in a grid of stages and groups, a cell leads to its rank", async ({ page }) => {
    await served.open(page, "/communication?tab=grid");
    const grid = page.getByRole("region", { name: "Computing of each rank by its groups" });
    await expect(grid.locator("tbody tr")).toHaveCount(2, { timeout: 40_000 });
    await expect(grid.locator("tbody tr").first().locator("td")).toHaveCount(8);
    await expect(grid.getByRole("columnheader").nth(1)).toHaveText("dp 0 · tp 0");
    const cell = grid.getByRole("button", { name: /^13: / });
    await page.getByRole("combobox", { name: "Metric" }).selectOption("Free");
    await page.getByRole("region", { name: /^Free of each rank/ }).getByRole("button", { name: /^13: / }).click();
    await expect(cell).toHaveCount(0);
    await expect.poll(() => fragment(page)).toMatch(/overview\?p=13/);
  });

  test("one above the other, with the same lane of all of them pinned", async ({ page }) => {
    test.setTimeout(60_000);
    await served.open(page, "/timeline?ranks=0,5,15&lanes=overlap");
    await expect(page.locator(".tl-profile")).toHaveCount(3, { timeout: 40_000 });
    await lane(page, "Computing")
      .first()
      .getByRole("button", { name: /What to do/ })
      .click();
    await page.getByRole("menuitem", { name: "Pin this lane of all 3 ranks" }).click();
    await expect(page.locator(".tl-pinned")).toHaveCount(3);
    await expect(page.locator(".tl-pinned").nth(2)).toContainText("Rank 15 · Computing");
  });
});

test.describe("a slow rank", () => {
  const served = serve(slow_rank_job);

  test("is the one that comes last to the collectives", async ({ page }) => {
    test.setTimeout(60_000);
    await served.open(page, "/communication?tab=collectives");
    const late = page.getByRole("region", { name: "Who comes last" });
    await expect(late.getByRole("row").first()).toContainText("Rank 2", { timeout: 40_000 });
    await expect(page.getByRole("grid", { name: /Collectives of all ranks/ })).toContainText(
      "Rank 2",
    );
  });

  test("is aligned with the others by collectives, and by hand as they were", async ({ page }) => {
    test.setTimeout(60_000);
    await served.open(page, "/timeline?ranks=0,2");
    await expect(page.locator(".tl-profile, .tl-group").first()).toBeVisible({ timeout: 40_000 });
    await page.getByRole("button", { name: /^Align/ }).click();
    await page.getByRole("menuitem", { name: "By collectives of all ranks" }).click();
    await expect(page.getByText(/Aligned by \d+ collectives/)).toBeVisible();
  });

  test("has the same kernel as the others, slower, and a click leads there; l aligns them", async ({
    page,
  }) => {
    test.setTimeout(60_000);
    for (const p of [0, 2]) await served.open(page, `/overview?p=${p}`);
    const hit = (await served.ask(page, "hit?p=0&q=MatMulV3&case=1&k=20")) as {
      lane: number;
      event: number;
      name: string;
    };
    await served.open(page, `/timeline?ranks=0,2&slice=0.${hit.lane}.${hit.event}`);
    const panel = page.getByRole("region", { name: "Details" });
    await expect(panel).toContainText("The same on other ranks", { timeout: 40_000 });
    await expect(panel).toContainText(/\+(29|30)\.\d %/);
    await page.locator(".tl-canvas").focus();
    await page.keyboard.press("l");
    await expect.poll(() => fragment(page)).toMatch(/offsets=2:-?\d+/);
    await panel.getByRole("button", { name: "Rank 2" }).click();
    await expect(panel.locator(".details-name")).toHaveText(hit.name);
    await expect.poll(() => fragment(page)).toMatch(/slice=2\./);
  });

  test("steps are chosen for every view", async ({ page }) => {
    await served.open(page, "/overview");
    await expect(page.getByRole("listitem", { name: /Step \d/ })).toHaveCount(3);
    await page.getByRole("combobox", { name: "Step" }).selectOption("3");
    await expect(page.getByRole("listitem", { name: /Step \d/ })).toHaveCount(1);
    await expect.poll(() => fragment(page)).toContain("step=3");
  });
});
