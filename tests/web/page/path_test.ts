// From a module to an operator to a kernel to the same kernel on other ranks.

import { missing, npusim, simulated } from "../surroundings";
import { expect, fragment, serve, settled, test, timeline_ready } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

const served = serve(() =>
  simulated(
    "modules",
    ...["transformer", "--ranks", "2", "--dp", "2", "--layers", "2", "--steps", "2"],
    ...["--with-modules", "--with-stack"],
  ),
);

interface Hit {
  lane: number;
  event: number;
}

test("a kernel leads to its operator, its module and its equals", async ({ page }) => {
  test.setTimeout(60_000);
  for (const p of [0, 1]) {
    await served.open(page, `/overview?p=${p}`);
    await settled(page);
  }
  const hit = (await served.ask(page, "hit?p=0&q=FlashAttentionScore&word=1&k=0")) as Hit;
  await served.open(page, `/timeline?slice=0.${hit.lane}.${hit.event}`);
  await timeline_ready(page);
  const panel = page.getByRole("region", { name: "Details", exact: true });
  const path = panel.getByRole("region", { name: "From module to kernel" });
  await expect(path).toContainText("FlashSelfAttention");
  await expect(path).toContainText(/MFU\s*\d/);
  await expect(panel).toContainText("Input shapes");
  await expect(panel).toContainText("The same on other ranks");
  const before = await fragment(page);
  const operator = path.getByRole("listitem").getByRole("button").last();
  const name = await operator.textContent();
  await operator.click();
  await expect(panel.locator(".details-name")).toHaveText(name!);
  expect(await fragment(page)).not.toBe(before);
  // And back: the operator lists what it launched.
  await expect(path).toContainText(/Launches\s*\d+ kernel/);
  await path
    .getByRole("list", { name: "Kernels" })
    .getByRole("button", { name: /FlashAttentionScore/ })
    .first()
    .click();
  await expect(panel.locator(".details-name")).toContainText("FlashAttentionScore");
  await panel.getByRole("button", { name: "Rank 1" }).click();
  await expect.poll(() => fragment(page)).toMatch(/slice=1\./);
});

test("the overview has overall metrics and a bar for each rank that was read", async ({ page }) => {
  await served.open(page);
  const overall = page.getByRole("region", { name: "Overall metrics" });
  await expect(overall).toContainText("Computing Time");
  await expect(overall).toContainText("Free Time");
  const ranks = page.getByRole("region", { name: "Ranks side by side" });
  await expect(ranks.getByRole("listitem", { name: /Rank 0/ })).toHaveCount(1);
});

test("kernels are grouped by module, and a module leads to its kernels", async ({ page }) => {
  await served.open(page, "/kernels");
  await page.getByRole("button", { name: "Module", exact: true }).click();
  const grid = page.getByRole("grid", { name: "Kernels by module" });
  const cell = grid.getByRole("gridcell", { name: /FlashSelfAttention/ }).first();
  const module = (await cell.textContent())!;
  await cell.click();
  const kernels = page.getByRole("grid", { name: /Kernels in order/ });
  await expect(kernels.getByRole("columnheader", { name: "Module" })).toHaveCount(1);
  await expect(page.getByRole("searchbox", { name: /Filter rows/ })).toHaveValue(module);
  await expect(kernels).toContainText("FlashAttentionScore");
  // What the counters of cores say of each kernel stands beside it.
  await expect(kernels.getByRole("columnheader", { name: /aic_mac_ratio/ })).toHaveCount(1);
});

test("the tree of modules is downloaded with all its rows", async ({ page }) => {
  await served.open(page, "/modules?options=closed=0");
  await expect(page.getByRole("grid")).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  let text = "";
  for await (const chunk of await (await download).createReadStream()) text += String(chunk);
  expect(text.split("\n")[0]).toMatch(/^Module,Total \(ns\),Self \(ns\),Share \(0\.\.1\)/);
  expect(text).toMatch(/\n {4}ParallelMLP[^,]*,\d+,/);
});

test("on a wide screen what belongs to a table stands above its columns", async ({ page }) => {
  await page.setViewportSize({ width: 3840, height: 1600 });
  await served.open(page, "/communication");
  const block = page.locator(".table-block").first();
  const button = (await block.getByRole("button", { name: "CSV" }).boundingBox())!;
  const last = (await block.getByRole("columnheader").last().boundingBox())!;
  expect(button.x + button.width).toBeLessThanOrEqual(last.x + last.width);
});
