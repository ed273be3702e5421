// What follows a chosen step, a chosen range and a chosen group.

import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Download } from "@playwright/test";
import { data, missing, npuprof, npusim, slow_rank_job } from "../surroundings";
import { expect, fragment, lane, serve, settled, test, timeline_ready } from "./served";

async function lines_of(download: Download): Promise<string[]> {
  let text = "";
  for await (const chunk of await download.createReadStream()) text += String(chunk);
  return text.trimEnd().split("\n");
}

test.describe("of a simulated job", () => {
  test.skip(missing(npusim) !== "", missing(npusim));
  const served = serve(slow_rank_job);

  test("a step is what histograms, statements and searches are about", async ({ page }) => {
    test.setTimeout(60_000);
    await served.open(page, "/kernels");
    await settled(page);
    const { steps } = (await served.ask(page, "profile?p=0")) as { steps: { number: number }[] };
    const step = steps[1]!.number;
    const all = (await served.ask(page, "histogram?p=0&type=MatMulV3")) as { count: number };
    await page.getByRole("combobox", { name: "Step" }).selectOption(String(step));
    await page.getByRole("link", { name: "Kernels" }).click();
    await page.getByRole("gridcell", { name: "MatMulV3", exact: true }).first().click();
    const side = page.getByRole("complementary", { name: "Durations" });
    await expect(side).toContainText(`${all.count / steps.length} calls`);

    await page.getByRole("link", { name: "SQL" }).click();
    await page
      .getByRole("textbox", { name: "SQL" })
      .fill("select count(*) as n from kernel where type = 'MatMulV3'");
    await page.getByRole("button", { name: "Run" }).click();
    const result = page.getByRole("grid", { name: "Result" }).locator("[aria-rowindex='2']");
    await expect(result).toHaveText(String(all.count / steps.length));

    await page.getByRole("link", { name: "Timeline" }).click();
    await timeline_ready(page);
    await page.getByRole("searchbox", { name: "Search slices" }).fill("ProfilerStep");
    await expect(page.locator(".search-count")).toHaveText("1 hit");
    await page.getByRole("combobox", { name: "Step" }).selectOption("");
    await expect(page.locator(".search-count")).toHaveText(`${steps.length} hits`);
  });

  test("hits stand in a table, those of the selected range alone if asked for", async ({ page }) => {
    await served.open(page);
    await settled(page);
    const { steps } = (await served.ask(page, "profile?p=0")) as {
      steps: { begin: number; end: number }[];
    };
    const { begin, end } = steps[0]!;
    await served.open(page, `/timeline?q=MatMulV3&range=${begin}~${end}`);
    await timeline_ready(page);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const grid = page.getByRole("grid", { name: "Hits" });
    await expect(grid).toBeVisible();
    const all = Number(await grid.getAttribute("aria-rowcount"));
    await page.getByRole("button", { name: "In the selected range alone" }).click();
    await expect(grid).not.toHaveAttribute("aria-rowcount", String(all));
    await expect.poll(() => fragment(page)).toContain("how=i");
    expect(Number(await grid.getAttribute("aria-rowcount"))).toBeLessThan(all);
    await grid.getByText("MatMulV3").first().click();
    await expect(page.locator(".details-name, .search-count").first()).toBeVisible();
    await expect.poll(() => fragment(page)).toMatch(/slice=0\./);
  });

  test("links are those of one communication group", async ({ page }) => {
    test.setTimeout(60_000);
    await served.open(page, "/communication?tab=links");
    const card = page.getByRole("region", { name: "Links between ranks" });
    await expect(card).toContainText("Group dp", { timeout: 40_000 });
    const { links, groups } = (await served.ask(page, "cluster/links")) as {
      links: { group: string }[];
      groups: { id: string; is_global: boolean }[];
    };
    expect(new Set(links.map((link) => link.group))).toEqual(new Set(groups.map(({ id }) => id)));
    expect(groups.every((group) => group.is_global)).toBe(true);
  });

  test("ranks that are even have one colour, the slow one another", async ({ page }) => {
    test.setTimeout(60_000);
    await served.open(page, "/communication?tab=steps");
    const map = page.getByRole("region", { name: "Computing of each rank and step" });
    await expect(map.locator("tbody tr")).toHaveCount(4, { timeout: 40_000 });
    const colours = await map
      .locator("tbody td")
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).backgroundColor));
    const of_rank = (rank: number) => colours.slice(rank * 3, rank * 3 + 3);
    expect(new Set([...of_rank(0), ...of_rank(1), ...of_rank(3)]).size).toBe(1);
    expect(of_rank(2)).not.toContain(of_rank(0)[0]);
  });

  test("a report tells of its chosen steps, and of groups by shape", async ({ page }) => {
    test.setTimeout(60_000);
    const job = slow_rank_job();
    const report = `${dirname(job)}/steps-${process.pid}.html`;
    await served.open(page);
    await settled(page);
    const { steps } = (await served.ask(page, "profile?p=0")) as { steps: { number: number }[] };
    const step = steps[1]!.number;
    const own_page = process.env["NPUPROF_PAGE"];
    const made = spawnSync(
      npuprof,
      ["view", job, "--export", report, "--steps", String(step)].concat(
        own_page ? ["--page", own_page] : [],
      ),
    );
    expect(made.status).toBe(0);
    expect(existsSync(report)).toBe(true);
    await page.goto(`file://${report}#/kernels?group=shape`);
    await expect(page.getByRole("grid", { name: /shapes of inputs/ })).toBeVisible();
    await page.goto(`file://${report}#/overview`);
    await expect(page.getByRole("listitem", { name: /Step \d/ })).toHaveCount(steps.length);
    await page.getByRole("combobox", { name: "Step" }).selectOption(String(step));
    await expect(page.getByRole("listitem", { name: /Step \d/ })).toHaveCount(1);
    await page.goto("about:blank");
    await page.goto(`file://${report}#/overview?step=${steps[0]!.number}`);
    await expect(page.getByText("This report does not hold that").first()).toBeVisible();
    rmSync(report);
  });
});

test.describe("of real data", () => {
  test.skip(missing(data.text) !== "", missing(data.text));
  const served = serve(() => data.text);

  test("the table of a lane is filtered, sorted by any column, and downloaded whole", async ({
    page,
  }) => {
    await served.open(page, "/timeline");
    await timeline_ready(page);
    await page.getByRole("searchbox", { name: "Filter lanes" }).fill("3096504 (Python)");
    await lane(page, "Thread 3096504 \\(Python\\)")
      .getByRole("button", { name: /What to do/ })
      .click();
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    const grid = page.getByRole("grid", { name: "Thread 3096504 (Python)" });
    await expect(grid).toHaveAttribute("aria-rowcount", "1283");
    await grid.getByRole("columnheader", { name: "Self" }).click();
    await expect(grid.getByRole("columnheader", { name: "Self" })).toHaveAttribute(
      "aria-sort",
      "descending",
    );
    const events = (query: string) => served.ask(page, `events?p=0&${query}`) as Promise<never>;
    const { groups } = (await served.ask(page, "lanes?p=0")) as {
      groups: { lanes: { id: number; name: string }[] }[];
    };
    const id = groups
      .flatMap((group) => group.lanes)
      .find((each) => each.name === "Thread 3096504 (Python)")!.id;
    const { rows } = (await events(`lane=${id}&sort=self&rows=1`)) as {
      rows: { name: string }[];
    };
    await expect(grid.locator("[aria-rowindex='2']")).toContainText(rows[0]!.name.slice(0, 20));

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("region", { name: "Details" }).getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(await lines_of(download)).toHaveLength(1283);

    await page
      .getByRole("searchbox", { name: /Filter rows of/ })
      .fill("optimizer");
    const { total_rows } = (await events(`lane=${id}&find=optimizer`)) as { total_rows: number };
    expect(total_rows).toBeGreaterThan(0);
    await expect(grid).toHaveAttribute("aria-rowcount", String(total_rows + 1));
  });

  test("durations that are dragged over are listed, all of them counted", async ({ page }) => {
    await served.open(page, "/kernels?pick=ForeachAddList");
    const side = page.getByRole("complementary", { name: "Durations" });
    const drawing = side.locator("svg.histogram");
    const box = (await drawing.boundingBox())!;
    await page.mouse.move(box.x + 1, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await expect(side).toContainText(/3 calls between/);
  });

  test("what allocators reserve is told apart from what the process has", async ({ page }) => {
    await served.open(page);
    const tile = page.getByRole("listitem").filter({ hasText: "Memory reserved" });
    await expect(tile).toContainText("1.491 GB");
    await expect(tile).toContainText("PTA+GE");
    await expect(tile).toContainText("2.064 GB");
  });

  test("a result that is cut says so, in the table and of its file", async ({ page }) => {
    test.setTimeout(60_000);
    const sql =
      "with recursive c(n) as (select 1 union all select n + 1 from c where n < 100002) select n from c";
    await served.open(page, `/sql?sql=${encodeURIComponent(sql)}`);
    await expect(page.getByText(/The result has 100.002 rows/)).toBeVisible({ timeout: 30_000 });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(await lines_of(download)).toHaveLength(100_001);
    await expect(page.locator(".toast")).toContainText(/first 100.000 of 100.002 rows/);
  });

  test("causes of idle time have one colour everywhere", async ({ page }) => {
    await served.open(page, "/idle");
    const part = page.locator(".cause-bar > div").first();
    const name = (await part.getAttribute("title"))!.split(":")[0]!;
    const { idle_causes } = (await served.ask(page, "session")) as {
      idle_causes: { name: string; category: string }[];
    };
    const { names } = (await served.ask(page, "names?p=0")) as {
      names: { name: string; category: string }[];
    };
    const cause = idle_causes.find((each) => each.name === name)!;
    expect(names.find((each) => each.name === name)!.category).toBe(cause.category);
    const colours = await page
      .locator(".cause-bar > div")
      .evaluateAll((parts) => parts.map((each) => getComputedStyle(each).backgroundColor));
    expect(new Set(colours).size).toBeGreaterThan(1);
  });

  test("the legend of memory has the value that holds at the pointer", async ({ page }) => {
    await served.open(page, "/memory");
    const over = page.locator(".curve .u-over");
    await expect(over).toBeVisible();
    await settled(page);
    const { curves } = (await served.ask(page, "memory?p=0&px=1200")) as {
      curves: { component: string; value: string; points: number[][] }[];
    };
    const curve = curves.find((each) => `${each.component} ${each.value}` === "PTA+GE reserved")!;
    const change = curve.points[1]![0]!;
    const { begin, end } = (await served.ask(page, "profile?p=0")) as {
      begin: number;
      end: number;
    };
    // Long after the last change, nearer to the end of the axis: the value is that of the change.
    const box = (await over.boundingBox())!;
    expect(change).toBeGreaterThan(begin);
    expect(end).toBeGreaterThan(change);
    await page.mouse.move(box.x + box.width * 0.9, box.y + 20);
    const entry = page.getByRole("button", { name: /PTA\+GE reserved/ });
    await expect(entry).toContainText("1.491 GB");
    await page.mouse.move(box.x + 2, box.y + 20);
    await expect(entry).toContainText("1.418 GB");
  });
});
