// Moving, selecting, searching and marking on the timeline of the real text profile.

import type { Page } from "@playwright/test";
import { data, missing } from "../surroundings";
import { expect, fragment, lane, serve, settled, test, timeline_ready } from "./served";

test.skip(missing(data.text) !== "", missing(data.text));
const served = serve(() => data.text);

async function view(page: Page): Promise<[number, number]> {
  const match = /[?&]t=([-\d.]+)~([-\d.]+)/.exec(await fragment(page));
  if (!match) throw new Error("no time in the address");
  return [Number(match[1]), Number(match[2])];
}

async function middle_of(page: Page, name: string): Promise<{ x: number; y: number }> {
  const label = (await lane(page, name).first().boundingBox())!;
  const canvas = (await page.locator(".tl-canvas").boundingBox())!;
  return { x: canvas.x + canvas.width / 2, y: label.y + 11 };
}

test("the wheel zooms under the pointer, and backspace undoes it", async ({ page }) => {
  await served.open(page, "/timeline?t=150000000~170000000");
  await timeline_ready(page);
  const canvas = (await page.locator(".tl-canvas").boundingBox())!;
  await page.mouse.move(canvas.x + canvas.width / 4, canvas.y + 100);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  const [begin, end] = await view(page);
  expect(end - begin).toBeLessThan(10_000_000);
  expect(begin + (end - begin) / 4).toBeCloseTo(155_000_000, -4);
  await page.keyboard.press("Backspace");
  await expect.poll(() => view(page)).toEqual([150000000, 170000000]);
});

test("a click shows a slice with its arguments and stack, arrows go on, f fits, r takes its time", async ({
  page,
}) => {
  await served.open(page, "/timeline?lanes=thread+3096504");
  await served.open(page, "/timeline?slice=0.0.5");
  await timeline_ready(page);
  const panel = page.getByRole("region", { name: "Details" });
  await expect(panel.locator(".details-name")).toHaveText("aten::cross_entropy_loss");
  await expect(panel).toContainText("1.478 ms");
  await expect(panel).toContainText("32,1000");
  await expect(panel).toContainText("cross_entropy");
  await page.locator(".tl-canvas").focus();
  await page.keyboard.press(".");
  await expect(panel.locator(".details-name")).not.toHaveText("aten::cross_entropy_loss");
  await page.keyboard.press(",");
  await expect(panel.locator(".details-name")).toHaveText("aten::cross_entropy_loss");
  await expect(page.locator("[aria-live=polite]").first()).toContainText(
    "Thread 3096504, aten::cross_entropy_loss, 1.478 ms",
  );
  await page.keyboard.press("f");
  const [begin, end] = await view(page);
  expect(begin).toBeLessThan(147368490);
  expect(end).toBeGreaterThan(148846490);
  expect(end - begin).toBeLessThan(4_000_000);
  await page.keyboard.press("r");
  await expect(panel).toContainText("Range of 1.478 ms");
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("[aria-live=polite]").first()).not.toContainText("cross_entropy_loss,");
});

test("flows of a slice are followed with the brackets, there and back", async ({ page }) => {
  const found = (await served.ask(page, "hit?p=0&q=trans_TransData_1&word=1&k=0")) as {
    lane: number;
    event: number;
  };
  await served.open(page, `/timeline?slice=0.${found.lane}.${found.event}`);
  await timeline_ready(page);
  const name = page.locator(".details-name");
  await expect(name).toHaveText("trans_TransData_1");
  await expect(page.getByRole("region", { name: "Details" })).toContainText("HostToDevice");
  await page.locator(".tl-canvas").focus();
  await page.keyboard.press("[");
  await expect(name).not.toHaveText("trans_TransData_1");
  await page.keyboard.press("]");
  await expect(name).toHaveText(/TransData/);
});

test("a drag over lanes adds them up, by name and by type", async ({ page }) => {
  await served.open(page, "/timeline?t=150000000~170000000&lanes=computing");
  await timeline_ready(page);
  const { y } = await middle_of(page, "Computing");
  const canvas = (await page.locator(".tl-canvas").boundingBox())!;
  await page.mouse.move(canvas.x + 10, y);
  await page.mouse.down();
  await page.mouse.move(canvas.x + 400, y + 2, { steps: 4 });
  await page.mouse.up();
  const panel = page.getByRole("region", { name: "Details" });
  await expect(panel).toContainText(/busy .* of the range/);
  const grid = page.getByRole("grid", { name: "By name" });
  await expect(grid.locator("[aria-rowindex='2']")).toContainText("Computing");
  await expect.poll(() => fragment(page)).toMatch(/range=15\d+/);
  await page.getByRole("button", { name: "By type" }).click();
  await expect(page.getByRole("grid", { name: "By type" })).toContainText("Cube");
  await page.locator(".tl-canvas").focus();
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "Marks" }).click();
  await page.getByRole("textbox", { name: "Name of mark 1" }).fill("slow part");
  await page.keyboard.press("Enter");
  await expect.poll(() => fragment(page)).toContain("slow part");
});

test("a range of the whole step sums what the tables have", async ({ page }) => {
  const lanes = (await served.ask(page, "lanes?p=0")) as {
    groups: { name: string; lanes: { id: number; name: string }[] }[];
  };
  const overlap = lanes.groups.find((group) => group.name === "Overlap Analysis")!;
  const id = overlap.lanes.find((each) => each.name === "Computing")!.id;
  await served.open(page, `/timeline?range=0~399922080&range_lanes=0.${id}&unit=us`);
  await timeline_ready(page);
  await expect(
    page.getByRole("grid", { name: "By name" }).locator("[aria-rowindex='2']"),
  ).toContainText("8\u202f873.756");
});

test("lanes are pinned, hidden, shown again, moved, and listed as a table", async ({ page }) => {
  await served.open(page, "/timeline?lanes=overlap");
  await timeline_ready(page);
  const menu = async (name: string, entry: string) => {
    await lane(page, name)
      .last()
      .getByRole("button", { name: /What to do/ })
      .click();
    await page.getByRole("menuitem", { name: entry, exact: true }).click();
  };
  await menu("Free", "Pin to the top");
  await expect(page.locator(".tl-pinned")).toContainText("Free");
  await menu("Computing", "Hide");
  await expect(page.getByText("1 hidden")).toBeVisible();
  await page.getByRole("button", { name: "Show them" }).click();
  await expect(lane(page, "Computing")).toBeVisible();
  await menu("Communication", "Move up");
  const names = await page.locator(".tl-label.tl-lane:not(.tl-pinned) .tl-text").allTextContents();
  expect(names.indexOf("Communication")).toBeLessThan(names.indexOf("Computing"));
  await menu("Computing", "Show as a table");
  await expect(page.getByRole("grid", { name: "Computing" })).toHaveAttribute(
    "aria-rowcount",
    "188",
  );
  const link = await fragment(page);
  for (const part of ["pinned=", "order=", "lanes=overlap"]) expect(link).toContain(part);
});

test("gaps of the device are slices with a cause and a way to the culprit", async ({ page }) => {
  const lanes = (await served.ask(page, "lanes?p=0")) as {
    groups: { lanes: { id: number; kind: string }[] }[];
  };
  const idle = lanes.groups.flatMap((group) => group.lanes).find((each) => each.kind === "idle")!;
  let event = -1;
  for (let i = 0; i < 40 && event < 0; i++) {
    const slice = (await served.ask(page, `slice?p=0&lane=${idle.id}&event=${i}`)) as {
      cause?: { culprit: object | null };
    };
    if (slice.cause?.culprit) event = i;
  }
  await served.open(page, `/timeline?slice=0.${idle.id}.${event}`);
  await timeline_ready(page);
  const panel = page.getByRole("region", { name: "Details" });
  await expect(panel).toContainText(/Idle: /);
  const before = await panel.locator(".details-name").textContent();
  await panel.getByRole("button", { name: /Go to/ }).click();
  await expect(panel.locator(".details-name")).not.toHaveText(before!);
});

test("a link opens in another tab as it was, without the token", async ({ page, context }) => {
  await served.open(page, "/timeline?t=150000000~170000000&slice=0.0.5&q=mm");
  await timeline_ready(page);
  const link = page.url();
  expect(link).not.toContain(served.token);
  const other = await context.newPage();
  await other.goto(link);
  await expect(other.locator(".details-name")).toHaveText("aten::cross_entropy_loss");
  await expect(other.getByRole("searchbox", { name: "Search slices" })).toHaveValue("mm");
  expect(await view(other)).toEqual([150000000, 170000000]);
});

test("without the token the page says what to do", async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(served.url);
  await expect(page.getByText(/token|address/i).first()).toBeVisible();
});

test("commands find lanes and views by a few letters", async ({ page }) => {
  await served.open(page, "/timeline");
  await timeline_ready(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("stream 4");
  await expect(page.getByRole("dialog").getByRole("option").first()).toContainText("Stream 4");
  await page.keyboard.press("Enter");
  await expect(lane(page, "Stream 4")).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("memory");
  await page
    .getByRole("dialog")
    .getByRole("option", { name: /^Memory\s*View/ })
    .click();
  await expect(page.getByRole("link", { name: "Memory" })).toHaveAttribute("aria-current", "page");
});

test("no more is asked for than is seen, and overtaken requests are dropped", async ({ page }) => {
  let asked = 0;
  let largest = 0;
  page.on("response", async (response) => {
    if (!response.url().includes("/api/slices")) return;
    asked++;
    largest = Math.max(largest, (await response.body().catch(() => Buffer.alloc(0))).length);
  });
  await served.open(page, "/timeline");
  await timeline_ready(page);
  const first = asked;
  await page.waitForTimeout(600);
  expect(asked).toBe(first); // Nothing is asked again while nothing moves.
  await page.locator(".tl-canvas").focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press(i % 2 ? "s" : "w");
  await settled(page);
  expect(asked - first).toBeLessThan(30);
  expect(largest).toBeLessThan(1_300_000);
});
