// The two questions of docs/page.md, as somebody asks them who has nothing but the documentation:
// its commands, its clicks, and the numbers that it says will be there.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "@playwright/test";
import { missing, npusim, simulated } from "../surroundings";
import { expect, serve, test, timeline_ready } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

const kPage = readFileSync(
  join(resolve(dirname(fileURLToPath(import.meta.url)), "../../.."), "docs/page.md"),
  "utf8",
);

// The job that the documentation makes, with its own words.
function documented(name: string): string {
  const command = new RegExp(`npusim (.*) -o out/${name}\n`).exec(kPage);
  if (!command) throw new Error(`docs/page.md makes no out/${name}`);
  return simulated(`documented-${name}`, ...command[1]!.split(" "));
}

function says(...texts: string[]): void {
  for (const text of texts) expect(kPage).toContain(text);
}

// Counts clicks, and tells how long all of it took from the command on.
class User {
  private readonly begin = Date.now();
  private clicks = 0;

  async click(what: Locator): Promise<void> {
    await what.click();
    this.clicks++;
  }

  tell(question: string, most_clicks: number): void {
    const seconds = ((Date.now() - this.begin) / 1000).toFixed(1);
    console.log(`${question}: ${this.clicks} clicks, ${seconds} s`);
    expect(this.clicks).toBeLessThanOrEqual(most_clicks);
  }
}

test.describe("Which rank of a cluster is slow?", () => {
  const served = serve(() => documented("cluster"));

  test("is answered by the first click, and proved by two more", async ({ page }) => {
    test.setTimeout(60_000);
    const user = new User();
    await served.open(page);
    await user.click(page.getByRole("button", { name: "Ranks by steps" }));
    const map = page.getByRole("region", { name: "Computing of each rank and step" });
    await expect(map.locator("tbody tr")).toHaveCount(16, { timeout: 40_000 });
    const times = (await map.locator("tbody tr").allInnerTexts()).map((text) =>
      Number.parseFloat(text.split(/\s+/)[1]!),
    );
    expect(times.indexOf(Math.max(...times))).toBe(11);
    says(`${times[11]} ms a step`, "12.7 to 12.8 ms");
    for (const rank of [8, 9, 10, 12, 13, 14, 15]) expect([12.7, 12.8]).toContain(times[rank]);
    await user.click(page.getByRole("button", { name: "Collectives of all ranks" }));
    const late = page.getByRole("region", { name: "Who comes last" });
    await expect(late.getByRole("row").first()).toContainText("Rank 11");
    const bar = page.getByRole("button", { name: "Rank 11: show on the timeline" });
    says(`*${await bar.innerText()}*`);
    await user.click(bar);
    await timeline_ready(page);
    await expect(page.locator(".details-name")).toContainText("hcom_");
    user.tell("slow rank", 3);
  });
});

test.describe("Which layer of a model is slow?", () => {
  const served = serve(() => documented("layer"));

  test("is answered by the overview, and proved by three clicks", async ({ page }) => {
    const user = new User();
    await served.open(page);
    const card = page.getByRole("region", { name: "Where the model spends it" });
    const first = card.getByRole("row").first();
    await expect(first).toContainText("FlashSelfAttention_[0-3]");
    says(`\`FlashSelfAttention_[0-3]\`, ${/[\d.]+ %/.exec(await first.innerText())![0]}`);
    await user.click(card.getByRole("button", { name: "All modules" }));
    const grid = page.getByRole("grid", { name: /by module/ });
    await expect(page.getByRole("columnheader", { name: "MFU" })).toBeInViewport();
    const headers = await grid.getByRole("columnheader").allInnerTexts();
    const cell = (module: string, column: string) =>
      grid
        .getByRole("row")
        .filter({ hasText: module })
        .getByRole("gridcell")
        .nth(headers.findIndex((header) => header.startsWith(column)));
    const attention = "FlashSelfAttention_[0-3]";
    says(
      `MFU of ${await cell(attention, "MFU").innerText()} %`,
      `\`ParallelMLP_[0-3]\` beside it ${await cell("ParallelMLP_[0-3]", "MFU").innerText()} %`,
      `*Spread* of ${await cell(attention, "Spread").innerText()} `,
    );
    const name = cell(attention, "Module");
    expect(await name.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true);
    await user.click(page.getByRole("link", { name: "Kernels" }));
    await user.click(page.getByRole("gridcell", { name: "FlashAttentionScoreGrad", exact: true }));
    const side = page.getByRole("complementary", { name: "Durations" });
    await expect(side).toContainText("Longest calls");
    user.tell("slow layer", 3);
  });
});
