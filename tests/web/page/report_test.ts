// A report in one file: opens from disk, without a server, and tells nothing it should not.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { missing, npuprof, npusim, slow_rank_job } from "../surroundings";
import { expect, lane, test } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

let report = "";

test.beforeAll(() => {
  const job = slow_rank_job();
  report = `${dirname(job)}/report-${process.pid}.html`;
  const page = process.env["NPUPROF_PAGE"];
  const run = spawnSync(
    npuprof,
    ["view", job, "--export", report, ...(page ? ["--page", page] : [])],
    { encoding: "utf8" },
  );
  if (run.status !== 0 || !existsSync(report))
    throw new Error(`npuprof view --export: ${run.stderr}`);
});

test("has overview, tables and timeline, and asks nobody for anything", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`file://${report}`);
  await expect(page.getByRole("list", { name: "Key numbers" })).toContainText("58.4 %");
  await expect(page.getByRole("note")).toContainText("simulated");
  await page.getByRole("link", { name: "Kernels" }).click();
  await expect(page.getByRole("grid", { name: "Kernels by type" })).toContainText("MatMulV3");
  await page.getByRole("link", { name: "Communication" }).click();
  await page.getByRole("button", { name: "Collectives of all ranks" }).click();
  await expect(
    page.getByRole("region", { name: "Who comes last" }).getByRole("row").first(),
  ).toContainText("Rank 2");
  await expect(page.getByRole("link", { name: "SQL" })).toHaveCount(0);
  expect(asked.filter((url) => !url.startsWith("file:") && !url.startsWith("data:"))).toEqual([]);
});

test("shows slices of its timeline and their times", async ({ page }) => {
  await page.goto(`file://${report}#/timeline?lanes=computing`);
  await expect(lane(page, "Computing").first()).toContainText("213");
  const label = (await lane(page, "Computing").first().boundingBox())!;
  const canvas = (await page.locator(".tl-canvas").boundingBox())!;
  await page.mouse.click(canvas.x + canvas.width * 0.3, label.y + 10);
  await page.mouse.click(canvas.x + canvas.width * 0.1, label.y + 10);
  await expect(page.locator(".details-name")).toHaveText("Computing");
  await page.locator(".tl-canvas").focus();
  await page.keyboard.press("f");
  await expect(page.getByRole("region", { name: "Details" })).toContainText("Duration");
});

test("holds no token, no folder of this machine and no end of a script", () => {
  const text = readFileSync(report, "utf8");
  expect(text).not.toContain(dirname(report));
  const data = /window\.npuprofReport = (.*?)<\/script>/s.exec(text)![1]!;
  expect(data).not.toContain("</");
  expect(data.split('"binary"')[0]).not.toMatch(/\b[0-9a-f]{32}\b/); // What a token looks like.
});
