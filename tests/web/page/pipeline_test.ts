// A pipeline of four stages, simulated: one forward, one backward, so that the order is known.

import { missing, npusim, simulated } from "../surroundings";
import { expect, fragment, serve, settled, test, timeline_ready } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

const served = serve(() =>
  simulated(
    "pipeline",
    ..."transformer --ranks 8 --pp 4 --dp 2 --layers 4 --micro-batches 6 --steps 2".split(" "),
  ),
);
const kChart = /^Passes of 4 ranks in step/;

test("has a row for each stage with its passes in the order of the schedule", async ({ page }) => {
  await served.open(page, "/communication?tab=pipeline");
  const chart = page.getByRole("group", { name: kChart });
  await expect(chart.locator(".pipeline-row")).toHaveCount(4, { timeout: 40_000 });
  await expect(chart.locator(".pipeline-names button")).toHaveText(["Rank 0", "Rank 2", "Rank 4", "Rank 6"]);
  const order = (row: number) => chart.locator(".pipeline-row").nth(row).locator("button").allTextContents();
  expect((await order(0)).join(" ")).toBe("F1 F2 F3 F4 B1 F5 B2 F6 B3 B4 B5 B6");
  expect((await order(3)).join(" ")).toBe("F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6");
  // Six micro-batches go down three times and their gradients up.
  await expect(chart.locator("line")).toHaveCount(36);
  await expect(chart.locator("line.upwards")).toHaveCount(18);
  await expect(page.getByText(/would leave 33\.3 %/)).toBeVisible();
});

test("begins each pass behind what it waits for", async ({ page }) => {
  await served.open(page);
  const reply = (await served.ask(page, "cluster/pipeline?step=3")) as {
    rows: { passes: { kind: string; number: number; at: number; begin: number; end: number }[] }[];
  };
  const find = (row: number, kind: string, number: number) =>
    reply.rows[row]!.passes.find((pass) => pass.kind === kind && pass.number === number)!;
  for (let number = 1; number <= 6; number++)
    for (let row = 0; row < 3; row++) {
      const down = find(row, "forward", number);
      expect(find(row + 1, "forward", number).at).toBeGreaterThan(down.at + down.end - down.begin);
      const up = find(row + 1, "backward", number);
      expect(find(row, "backward", number).at).toBeGreaterThan(up.at + up.end - up.begin);
    }
});

test("is of the pipeline and the step that are chosen, and of those in its link", async ({ page }) => {
  await served.open(page, "/communication?tab=pipeline");
  const pipelines = page.getByRole("combobox", { name: "Pipeline" });
  await pipelines.selectOption("Rank 1, Rank 3, Rank 5, Rank 7");
  const names = page.locator(".pipeline-names button");
  await expect(names.first()).toHaveText("Rank 1");
  await page.getByRole("combobox", { name: "Step" }).selectOption("3");
  await expect(page.getByRole("group", { name: "Passes of 4 ranks in step 3" })).toBeVisible();
  const link = await fragment(page);
  expect(link).toMatch(/step=3.*tab=pipeline.*pick=1/);
  await served.open(page, "/overview");
  await served.follow(page, link);
  await expect(names.first()).toHaveText("Rank 1");
});

test("leads to the timeline by mouse, keys and table", async ({ page }) => {
  await served.open(page, "/communication?tab=pipeline&step=2");
  const chart = page.getByRole("group", { name: kChart });
  const bar = chart.getByRole("button", { name: /^Rank 4, forward 2: begins at/ });
  await bar.click();
  await timeline_ready(page);
  await expect.poll(() => fragment(page)).toMatch(/p=4.*range=/);
  await page.goBack();
  await settled(page);
  await chart.getByRole("button", { name: /^Rank 0, forward 1:/ }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(chart.getByRole("button", { name: /^Rank 0, forward 2:/ })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await expect(chart.getByRole("button", { name: /^Rank 2, backward 6:/ })).toBeFocused();
  const table = page.getByRole("grid", { name: "Passes" });
  await table.getByRole("row").nth(5).dblclick();
  await timeline_ready(page);
  await expect.poll(() => fragment(page)).toMatch(/range=/);
});

test("is downloaded as CSV", async ({ page }) => {
  await served.open(page, "/communication?tab=pipeline&step=2");
  const passes = page.locator(".card", { has: page.getByRole("grid", { name: "Passes" }) });
  const download = page.waitForEvent("download");
  await passes.getByRole("button", { name: "CSV" }).click();
  expect((await download).suggestedFilename()).toBe("pipeline_passes.csv");
});
