// What the views say of the real text profile: numbers that were taken from its files by other
// programs (awk, jq), not by this one.

import { data, missing } from "../surroundings";
import { expect, fragment, lane, serve, settled, test, timeline_ready } from "./served";

test.skip(missing(data.text) !== "", missing(data.text));
const served = serve(() => data.text);

test("the overview has the parts of step 50, and they sum to its time", async ({ page }) => {
  await served.open(page, "/overview?unit=us");
  const step = page.getByRole("listitem", { name: /Step 50/ });
  const label = (await step.getAttribute("aria-label")) ?? "";
  const exact = (name: string) =>
    Number(new RegExp(`${name} ([\\d.\\u202f]+) µs`).exec(label)![1]!.replaceAll("\u202f", ""));
  expect(exact("Communication, not overlapped")).toBeCloseTo(101963.203, 3);
  expect(exact("Overlapped")).toBeCloseTo(4028.675, 3);
  expect(exact("Computing") + exact("Overlapped")).toBeCloseTo(8873.756, 3);
  expect(exact("Free")).toBeCloseTo(25744.05, 3);
  // The file says .5 and a total that ends in 509: its writer keeps moments as doubles in µs, which
  // have steps of a quarter there.
  expect(exact("Preparing")).toBeCloseTo(17902.502, 3);
  expect(label).toContain("154\u202f483.511 µs");
  const tiles = page.getByRole("list", { name: "Key numbers" });
  await expect(tiles).toContainText("5.74 %");
  await expect(tiles).toContainText("66.0 %");
  await expect(tiles).toContainText("101.963 ms uncovered, 68.6 % in all");
  await expect(tiles.getByTitle(/all communication 105\u202f991\.878 µs, 68\.61 %/)).toBeVisible();
  await expect(tiles).toContainText("16.7 %");
  await expect(tiles).toContainText("none");
});

test("the overview of the other rank has its parts, and neither rank is called slow", async ({
  page,
}) => {
  await served.open(page, "/overview?unit=us&p=1");
  const step = page.getByRole("listitem", { name: /Step 50/ });
  for (const part of [
    "Computing 4\u202f862.056 µs, Overlapped 4\u202f016.239 µs", // 8878.295 together.
    "not overlapped 96\u202f359.047 µs",
    "Free 26\u202f675.274 µs",
    "Preparing 20\u202f433.190 µs",
  ])
    await expect(step).toHaveAttribute("aria-label", new RegExp(part));
  // They differ by 3.65 % of the step, and by 5.30 % of the communication.
  await page.getByRole("link", { name: "Advisor" }).click();
  await settled(page);
  await expect(page.locator("main")).toContainText("TransData");
  await expect(page.locator("main")).not.toContainText(/slow(er|est)? rank/i);
});

test("the overview names causes, kernels and findings, and leads to their views", async ({
  page,
}) => {
  await served.open(page);
  await expect(page.getByText("operator self time").first()).toBeVisible();
  await expect(page.getByRole("row", { name: /ForeachAddList/ })).toContainText("22.1 %");
  await expect(page.getByText(/The device does nothing for 18.8 %/)).toBeVisible();
  await page.getByRole("button", { name: "All kernels" }).click();
  await expect(page.getByRole("link", { name: "Kernels" })).toHaveAttribute("aria-current", "page");
});

test("kernels by type: 33 types, ForeachAddList first, sorted and filtered at will", async ({
  page,
}) => {
  await served.open(page, "/kernels?unit=us");
  const grid = page.getByRole("grid", { name: "Kernels by type" });
  await expect(grid).toHaveAttribute("aria-rowcount", "34");
  const first = grid.locator("[aria-rowindex='2']");
  for (const text of ["ForeachAddList", "22.1", "3", "1\u202f959.079"])
    await expect(first).toContainText(text);
  await grid.getByRole("columnheader", { name: /Count/ }).click();
  await expect(grid.getByRole("columnheader", { name: /Count/ })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await expect(first).toContainText("TransData");
  await expect.poll(() => fragment(page)).toContain("sort=op_statistic:-count");
  await page.getByRole("searchbox", { name: /Filter rows/ }).fill("conv2d");
  await expect(grid).toHaveAttribute("aria-rowcount", "4");
});

test("durations of a kernel stand as bars, and its longest calls lead to the timeline", async ({
  page,
}) => {
  await served.open(page, "/kernels?group=name");
  await page
    .getByRole("grid", { name: /Kernels/ })
    .locator("[aria-rowindex='2'] .cell")
    .nth(2)
    .click();
  const side = page.getByRole("complementary", { name: "Durations" });
  await expect(side.locator(".histogram")).toBeVisible();
  await expect(side).toContainText("3 calls");
  await expect(side).toContainText("706.614 µs");
  await side.getByRole("button", { name: "706.614 µs" }).click();
  await expect(page.locator(".details-name")).toContainText("ForeachAddList");
});

test("all kernels: 187, a row leads to its place on the timeline", async ({ page }) => {
  await served.open(page, "/kernels?tab=kernels");
  const grid = page.getByRole("grid", { name: /Kernels in order/ });
  await expect(grid).toHaveAttribute("aria-rowcount", "188");
  await grid.getByText("trans_TransData_1", { exact: true }).dblclick();
  await expect(page.getByRole("link", { name: "Timeline" })).toHaveAttribute(
    "aria-current",
    "page",
  );
  await timeline_ready(page);
  await expect.poll(() => fragment(page)).toMatch(/t=13\d{7}/);
});

test("lanes hold as many slices as the timeline's file", async ({ page }) => {
  await served.open(page, "/timeline");
  await timeline_ready(page);
  const filter = page.getByRole("searchbox", { name: "Filter lanes" });
  for (const [name, count] of [
    ["Stream 4", 308],
    ["Stream 2", 219],
    ["Computing", 187],
    ["Communication\\(Not Overlapped\\)", 101],
    ["Free", 90],
    ["Thread 3096504 \\(Python\\)", 1282],
  ] as const) {
    await filter.fill(name.replaceAll("\\", "").split("(")[0]!);
    await expect(lane(page, name).first()).toContainText(String(count));
  }
  await filter.fill("");
  await expect(page.locator(".tl-mini-label")).toHaveText("All of the time · 4\u202f384 slices");
  // Operators and frames of one thread stand apart, so that nothing crosses: 369 and 1282.
  await filter.fill("Thread 3096504");
  await expect(lane(page, "Thread 3096504").first()).toContainText("369");
});

test("slices of a stream that cross have lines of their own", async ({ page }) => {
  await served.open(page, "/timeline?lanes=stream%204");
  await timeline_ready(page);
  await expect(lane(page, "Stream 4").getByTitle("308 slices in 7 lines")).toBeVisible();
});

test("the search finds 72 of transdata, and goes from one to the next", async ({ page }) => {
  await served.open(page, "/timeline");
  await timeline_ready(page);
  await page.keyboard.press("/");
  await page.keyboard.type("transdata");
  const count = page.locator(".search-count");
  await expect(count).toHaveText("72 hits");
  await page.keyboard.press("Enter");
  await expect(count).toContainText("of 72");
  await expect(page.locator(".details-name")).toContainText(/TransData/i);
  const first = await page.locator(".details-name").textContent();
  await page.keyboard.press("Enter");
  await expect(count).toHaveText("2 of 72");
  await page.keyboard.press("Shift+Enter");
  await expect(count).toHaveText("1 of 72");
  await expect(page.locator(".details-name")).toHaveText(first!);
});

test("arrows of each kind can be drawn, as many as the file has", async ({ page }) => {
  await served.open(page, "/timeline");
  await timeline_ready(page);
  const counts = { async_npu: 210, async_task_queue: 159, fwdbwd: 27 };
  for (const [kind, count] of Object.entries(counts)) {
    const reply = (await served.ask(
      page,
      `flows?p=0&t0=0&t1=400000000&px=16000&kinds=${kind}`,
    )) as { count: number };
    expect(reply.count).toBe(count);
  }
  // Our timeline draws more of these than the vendor's: one to each task of a call. On stream 2 they are as many.
  const launches = (await served.ask(
    page,
    "flows?p=0&t0=0&t1=400000000&px=16000&kinds=HostToDevice",
  )) as { count: number };
  expect(launches.count).toBeGreaterThanOrEqual(210);
  await page.getByRole("button", { name: /Flows/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /fwdbwd/ }).click();
  await expect(page.getByRole("button", { name: "Flows: 1" })).toBeVisible();
  await expect.poll(() => fragment(page)).toContain("flows=fwdbwd");
});

test("memory: peaks of the pools, and blocks alive at a clicked moment", async ({ page }) => {
  await served.open(page, "/memory");
  await expect(page.locator(".curve canvas")).toBeVisible();
  await expect(page.getByRole("button", { name: /PTA\+GE reserved/ })).toBeVisible();
  const pools = page.getByRole("grid", { name: "Peaks of each memory pool" });
  await expect(pools.locator("[aria-rowindex='2']")).toContainText("1.160"); // GB: 1187.981 MB
  await expect(pools.locator("[aria-rowindex='4']")).toContainText("1.491"); // 1526.750 MB
  const components = page.getByRole("grid", { name: /by component/ });
  await expect(components.getByRole("row").filter({ hasText: "(process)" })).toContainText("2.064"); // 2113.730 MB
  const curve = page.locator(".curve .u-over");
  const box = (await curve.boundingBox())!;
  await curve.click({ position: { x: box.width - 2, y: 50 } });
  const alive = page.getByRole("grid", { name: /Blocks alive at/ });
  await expect(alive.locator("[aria-rowindex='2']")).toContainText("aten::mm");
  await expect(alive.locator("[aria-rowindex='2'] .cell").first()).toHaveAttribute(
    "title",
    "150\u202f995\u202f456 B", // 147456.5 KB
  );
  await expect(page.getByText(/ in 24 of 184 blocks/)).toBeVisible();
  const kept = page.getByRole("grid", { name: /not freed/ });
  await expect(kept).toContainText("aten::mm");
});

test("memory: blocks of operators, those of a range alone, sorted by size", async ({ page }) => {
  await served.open(page, "/memory");
  const blocks = page.getByRole("region", { name: "Memory of operators" });
  await expect(blocks.getByText("184 rows", { exact: true })).toBeVisible();
  await blocks.getByRole("columnheader", { name: "Size" }).click();
  await expect(blocks.locator("[aria-rowindex='2']")).toContainText("aten::mm");
  const { tables } = (await served.ask(page, "memory/blocks?p=0&sort=allocated_at&desc=0")) as {
    tables: { columns: { key: string }[]; rows: number[][] }[];
  };
  const { columns, rows } = tables[0]!;
  const allocated = columns.findIndex((each) => each.key === "allocated_at");
  const end = rows[20]![allocated]!; // Twenty were allocated before, and none released.
  await served.open(page, `/memory?range=0~${end}`);
  await blocks.getByRole("checkbox", { name: /Only in range/ }).check();
  await expect(blocks.getByText("20 rows", { exact: true })).toBeVisible();
  await expect.poll(() => fragment(page)).toMatch(/range=0~\d+&tab=range/);
});

test("communication: elapsed, wait and the links of rank 0", async ({ page }) => {
  await served.open(page, "/communication");
  const row = page
    .getByRole("grid", { name: "Collectives by type and group" })
    .locator("[aria-rowindex='2']");
  for (const text of ["105.992", "101.963", "5.941", "3.683", "61.7"])
    await expect(row).toContainText(text);
  await page.getByRole("button", { name: "Links" }).click();
  const matrix = page.getByRole("region", { name: /HCCS/ });
  await expect(matrix).toContainText("15.760");
  // Links name ranks 0 to 7 though two were recorded.
  await expect(matrix.locator("tbody th")).toHaveText(["0", "1", "2", "3", "4", "5", "6", "7"]);
});

test("modules stand as a tree that closes, and as rectangles", async ({ page }) => {
  await served.open(page, "/modules");
  const grid = page.getByRole("grid", { name: /by module/ });
  await expect(grid).toContainText("Conv2d_0");
  await page.getByRole("button", { name: "Close all" }).click();
  await expect(grid).not.toContainText("Conv2d_0");
  for (const tab of ["Module icicle", "Python stacks"]) {
    await page.getByRole("button", { name: tab }).click();
    const picture = page.locator(".icicle canvas");
    await expect(picture).toBeVisible();
    await picture.click({ position: { x: 100, y: 10 } });
    await expect(page.locator(".picked-line")).toContainText("%");
  }
  await page.getByRole("button", { name: "Sandwich" }).click();
  await page.getByRole("grid", { name: "Functions" }).getByText(/train/).first().click();
  await expect(page.locator(".icicle canvas")).toHaveCount(2);
});

test("idle time has causes, and they are all of the free time", async ({ page }) => {
  await served.open(page, "/idle");
  await expect(page.getByText("The device is idle for 25.7 ms of 137 ms (18.8 %).")).toBeVisible();
  await expect(
    page.getByRole("grid", { name: "Why the device is idle" }).locator("[aria-rowindex='2']"),
  ).toContainText("15.397");
});

test("two ranks are compared, and steps can be chosen on each side", async ({ page }) => {
  await served.open(page, "/compare?unit=us");
  const grid = page.getByRole("grid", { name: "Overall times" });
  const row = grid.locator("[aria-rowindex='2']");
  for (const text of ["8\u202f873.756", "8\u202f878.295"]) await expect(row).toContainText(text);
  await page.getByRole("combobox", { name: "Step of the other" }).selectOption("50");
  await expect(row).toContainText("8\u202f878.295");
  await expect.poll(() => fragment(page)).toContain("other_step=50");
});

test("a range is compared with another rank or step from any view", async ({ page }) => {
  await served.open(page, "/kernels?range=100000000~150000000");
  const frame = page.getByRole("banner").getByRole("combobox", { name: "Compare with" });
  await frame.selectOption({ label: "Rank 1" });
  const base = page.getByRole("combobox", { name: "Step of the baseline" });
  const other = page.getByRole("combobox", { name: "Step of the other" });
  for (const part of [base, other])
    await expect(part.locator("option:checked")).toHaveText(/^Range .*50\.000 ms$/);
  await expect(page.getByRole("grid").first()).toHaveAccessibleName(/Kernels by type/);
  await expect(frame).toHaveCount(0);
  await expect.poll(() => fragment(page)).toContain("base_range=100000000~150000000");
  const link = await fragment(page);
  await base.selectOption("50");
  await expect.poll(() => fragment(page)).not.toContain("base_range");
  await page.goBack();
  await expect(page.getByRole("banner").getByRole("combobox", { name: "Compare with" })).toBeVisible();
  await served.follow(page, link);
  await expect(base.locator("option:checked")).toHaveText(/^Range/);
});

test("SQL answers with a table and bars, and says what is wrong", async ({ page }) => {
  await served.open(page, "/sql");
  await page
    .getByRole("textbox", { name: "SQL" })
    .fill(
      "select type, sum(duration_ns) as total from kernel group by type order by total desc limit 5",
    );
  await page.getByRole("button", { name: "Run" }).click();
  await expect(
    page.getByRole("grid", { name: "Result" }).locator("[aria-rowindex='2']"),
  ).toContainText("ForeachAddList");
  await expect(page.getByRole("table", { name: "Chart of the result" })).toBeVisible();
  await page.getByRole("textbox", { name: "SQL" }).fill("select nonsense from nowhere");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText(/no such table/)).toBeVisible();
});

test("what a profile cannot tell is said, with how to collect it", async ({ page }) => {
  await served.open(page, "/host");
  await page.getByRole("button", { name: "Head overhead of graphs" }).click();
  await expect(page.getByText(/no graph executions of TorchAir/)).toBeVisible();
});

test("a table is downloaded as CSV with values in base units", async ({ page }) => {
  await served.open(page, "/kernels");
  await expect(page.getByRole("grid", { name: "Kernels by type" })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  const stream = await download.createReadStream();
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  const lines = text.trim().split("\n");
  expect(lines).toHaveLength(34);
  expect(lines[0]).toContain("Total (ns)");
  expect(lines[1]).toContain("ForeachAddList");
  expect(lines[1]).toContain(",1959079,");
});
