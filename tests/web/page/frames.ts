// How long a large profile takes to be shown, and how smoothly it moves, beside Chrome's own viewer:
// `npm run frames`, bench/README.md. Both get the same profile and the same keys.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { missing, npuprof, npusim } from "../surroundings";
import { Served, expect, settled, test } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));
test.describe.configure({ timeout: 1_800_000 });

// About 2,600 slices a step.
const kSteps = (process.env["NPUPROF_STEPS"] ?? "40,390").split(",").map(Number);
// A check-out of catapult, whose trace2html makes a page of a timeline.
const kCatapult = process.env["NPUPROF_CATAPULT"] ?? "";
const kPython = process.env["NPUPROF_PYTHON"] ?? "python3";
const kFolder = resolve(
  dirname(fileURLToPath(import.meta.url)),
  "../../../build/release/bench_data/frames",
);

const kMeasured = 6_000; // ms

function run(program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

function profile(steps: number): string {
  const out = join(kFolder, `job-${steps}`);
  mkdirSync(kFolder, { recursive: true });
  if (!existsSync(out))
    run(npusim, ..."transformer --layers 8 --with-stack --steps".split(" "), `${steps}`, "-o", out);
  return out;
}

// Frames while keys zoom and pan without a pause.
async function smoothness(page: Page): Promise<string> {
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { frames: times });
    const frame = (now: number) => {
      times.push(now);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const end = Date.now() + kMeasured;
  for (let i = 0; Date.now() < end; i++)
    await page.keyboard.press("wwwwddddaaaassss"[Math.floor(i / 2) % 16]!);
  const times = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  const gaps = times.slice(1).map((time, i) => time - times[i]!);
  gaps.sort((a, b) => a - b);
  const seconds = (times[times.length - 1]! - times[0]!) / 1000;
  const at = (share: number) => gaps[Math.floor((gaps.length - 1) * share)]!.toFixed(0);
  return `${(gaps.length / seconds).toFixed(1)} frames/s; a frame p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} ms`;
}

function tell(who: string, load_s: number, smooth: string): void {
  console.log(`  ${who.padEnd(16)} shown after ${load_s.toFixed(1)} s; ${smooth}`);
}

for (const steps of kSteps) {
  test(`${steps} steps in npuprof view`, async ({ page }) => {
    const path = profile(steps);
    await page.setViewportSize({ width: 1920, height: 1000 });
    const begin = Date.now();
    const served = new Served(path);
    await served.start();
    await served.open(page, "/timeline");
    await expect(page.locator(".tl-label.tl-lane").first()).toBeVisible({ timeout: 600_000 });
    await settled(page);
    const load_s = (Date.now() - begin) / 1000;
    console.log(`${await page.locator(".tl-mini-label").textContent()}`);
    await page.locator(".tl-canvas").focus();
    tell("npuprof view", load_s, await smoothness(page));
    served.stop();
  });

  test(`${steps} steps in Chrome's viewer`, async ({ page }) => {
    test.skip(kCatapult === "", "NPUPROF_CATAPULT names no check-out of catapult");
    const text = join(kFolder, `text-${steps}`);
    run(npuprof, "parse", profile(steps), "--export", "text", "-o", text);
    const files = readdirSync(text, { recursive: true, encoding: "utf8" });
    const timeline = join(
      text,
      files.find((file) => file.endsWith("trace_view.json"))!,
    );
    const html = join(kFolder, "viewer.html");
    run(kPython, join(kCatapult, "tracing/bin/trace2html"), timeline, "--output", html);
    console.log(`  timeline of ${(statSync(timeline).size / 1e6).toFixed(0)} MB`);
    rmSync(text, { recursive: true });
    await page.setViewportSize({ width: 1920, height: 1000 });
    const begin = Date.now();
    await page.goto(`file://${html}`, { timeout: 600_000 });
    await page.waitForFunction(
      () => {
        const view = document.querySelector("tr-ui-timeline-view") as unknown as {
          model?: { bounds: { isEmpty: boolean } };
        } | null;
        return view?.model?.bounds.isEmpty === false;
      },
      undefined,
      { timeout: 600_000 },
    );
    await page.evaluate(() => new Promise(requestAnimationFrame));
    tell("Chrome's viewer", (Date.now() - begin) / 1000, await smoothness(page));
    rmSync(html);
  });
}
