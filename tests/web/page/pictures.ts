// The pictures of the documentation, and all views in both colours and two widths, to be looked at
// after a change: `npm run pictures`. Those of the documentation go to docs/images, the others to
// build/pictures.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "@playwright/test";
import { missing, npusim } from "../surroundings";
import { kViews } from "./all_views";
import { small_png } from "./small_png";
import { expect, serve, settled, test, timeline_ready } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

const kSource = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const kImages = join(kSource, "docs/images");
const kPictures = join(kSource, "build/pictures");

// As docs/page.md says. The page shows the path as it was written, so it is a short one.
const kJobs = {
  job: "--ranks 4 --dp 4 --layers 2 --steps 3 --slow-rank 2:1.3 --with-modules --with-stack --mstx",
  cluster: "--ranks 16 --tp 2 --pp 2 --dp 4 --layers 2 --steps 3 --slow-rank 11:1.4 --with-modules",
  pipeline: "--ranks 4 --pp 4 --layers 4 --micro-batches 6 --steps 2",
};

function job(name: keyof typeof kJobs): string {
  mkdirSync(kPictures, { recursive: true });
  process.chdir(kPictures);
  const out = `out/${name}`;
  if (!existsSync(out)) {
    const run = spawnSync(npusim, ["transformer", ...kJobs[name].split(" "), "-o", out]);
    if (run.status !== 0) throw new Error(`npusim: ${String(run.stderr)}`);
  }
  return out;
}

async function draw_image(page: Page, name: string, target: Page | Locator = page) {
  const png = await target.screenshot({ animations: "disabled" });
  writeFileSync(join(kImages, `page-${name}.png`), await small_png(page, png));
}

const kQuestion = `select type, count(*) as calls, sum(duration_ns) / 1e6 as ms
from kernel group by type order by ms desc limit 8`;

test.describe("a job of four ranks", () => {
  const served = serve(() => job("job"));

  // What is drawn: name, height, state.
  for (const [name, height, state, colours] of [
    ["overview", 660, "overview", "light"],
    ["kernels", 640, "kernels?group=name&pick=aclnnMm_MatMulV3Common_MatMulV3", "light"],
    ["modules", 520, "modules", "light"],
    ["idle", 560, "idle", "light"],
    ["memory", 760, "memory?pick=66300000", "light"],
    ["compare", 560, "compare?other=2", "light"],
    ["beside", 480, "kernels?other=2", "light"],
    ["sql", 560, `sql?sql=${encodeURIComponent(kQuestion)}`, "light"],
    ["overview-dark", 660, "overview", "dark"],
    ["ranks", 800, "timeline?ranks=0,1,2,3&lanes=overlap&t=STEP", "light"],
    ["collectives", 580, "communication?tab=collectives", "light"],
    ["timeline", 800, "timeline?slice=KERNEL", "light"],
    ["timeline-dark", 800, "timeline?slice=KERNEL", "dark"],
  ] as const) {
    test(`for the documentation: ${name}`, async ({ page }) => {
      await page.setViewportSize({ width: 1280, height });
      await page.emulateMedia({ colorScheme: colours, reducedMotion: "reduce" });
      await served.open(page, "/timeline");
      await timeline_ready(page);
      const kernel = (await served.ask(page, "hit?p=0&q=MatMulV3&case=1&k=33")) as {
        lane: number;
        event: number;
      };
      const profile = (await served.ask(page, "profile?p=0")) as {
        steps: { begin: number; end: number }[];
      };
      const { begin, end } = profile.steps[1]!;
      const time = `${begin}~${end}`;
      const slice = `0.${kernel.lane}.${kernel.event}&t=${time}`;
      await served.open(page, `/${state.replace("KERNEL", slice).replace("STEP", time)}`);
      await settled(page);
      await draw_image(page, name);
    });
  }

  for (const colours of ["light", "dark"] as const) {
    for (const [width, height] of [
      [1280, 800],
      [3840, 2160],
    ] as const) {
      test(`all views, ${colours}, ${width} wide`, async ({ page }) => {
        test.setTimeout(300_000);
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: colours, reducedMotion: "reduce" });
        await served.open(page);
        for (const view of kViews) {
          await served.follow(page, `/${view}`);
          await page.waitForTimeout(150);
          const name = view.replace(/[^\w]+/g, "-");
          const path = join(kPictures, `${width}`, `${name}-${colours}.png`);
          await page.screenshot({ path, animations: "disabled" });
        }
      });
    }
  }
});

test.describe("a job of sixteen ranks", () => {
  const served = serve(() => job("cluster"));

  test("for the documentation: the slow rank", async ({ page }) => {
    test.setTimeout(120_000);
    await served.open(page, "/communication?tab=steps");
    const map = page.getByRole("region", { name: /of each rank and step/ });
    await expect(map.locator("tbody tr")).toHaveCount(16, { timeout: 60_000 });
    await settled(page);
    await draw_image(page, "slow-rank", map.locator("table"));
  });
});

test.describe("a pipeline of four stages", () => {
  const served = serve(() => job("pipeline"));

  test("for the documentation: the pipeline", async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await served.open(page, "/communication?tab=pipeline");
    const chart = page.getByRole("region", { name: "Stages over time" });
    await expect(chart.locator(".pipeline-row")).toHaveCount(4);
    await settled(page);
    await draw_image(page, "pipeline", chart);
  });
});
