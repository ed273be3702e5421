// What is compared stands beside what each view shows: rank 2 of this job computes 1.3 times as
// long.

import { missing, npusim, slow_rank_job } from "../surroundings";
import { expect, fragment, serve, settled, test } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));

const served = serve(slow_rank_job);

interface Reply {
  sentences: string[];
  tables: { name: string; columns: { key: string }[]; rows: (string | number | null)[][] }[];
}

function column(reply: Reply, name: string, key: string): (string | number | null)[] {
  const table = reply.tables.find((each) => each.name === name)!;
  const place = table.columns.findIndex((each) => each.key === key);
  return table.rows.map((row) => row[place]!);
}

test("a comparison that was chosen once is in the tables of all views, until it is ended", async ({
  page,
}) => {
  await served.open(page, "/kernels");
  await page.getByRole("banner").getByRole("combobox", { name: "Compare with" }).selectOption("Rank 2");
  await expect(page.getByRole("grid", { name: "Overall times" })).toBeVisible();
  const views = page.getByRole("navigation", { name: "Views" });
  for (const [view, grid] of [
    ["Kernels", "Kernels by type"],
    ["Idle", "Why the device is idle"],
    ["Memory", "Peaks of each memory pool"],
    ["Communication", "Collectives by type and group"],
    ["Host", "Host calls by level and name"],
  ] as const) {
    await views.getByRole("link", { name: view, exact: true }).click();
    const table = page.getByRole("grid", { name: grid });
    await expect(table.getByRole("columnheader", { name: / difference/ }).first()).toBeVisible();
  }
  const link = await fragment(page);
  await page.getByRole("button", { name: "End the comparison" }).click();
  await settled(page);
  await expect(page.getByRole("columnheader", { name: / difference/ })).toHaveCount(0);
  await served.follow(page, link);
  await expect(page.getByRole("columnheader", { name: / difference/ }).first()).toBeVisible();
  await page.getByRole("link", { name: "beside Rank 2" }).click();
  await expect(page.getByRole("grid", { name: "Overall times" })).toBeVisible();
});

test("values of both sides are those that each side has alone, and the difference is theirs", async ({
  page,
}) => {
  for (const p of [0, 2]) await served.open(page, `/overview?p=${p}`);
  const ask = async (query: string) => (await served.ask(page, `answer?mode=op_statistic&${query}`)) as Reply;
  const [mine, other, both] = [await ask("p=0"), await ask("p=2"), await ask("p=0&q=2")];
  const name = "op_statistic";
  expect(column(both, name, "total")).toEqual(column(mine, name, "total"));
  const types = column(other, name, "type");
  const totals = column(other, name, "total");
  const sums = column(both, name, "compared_total");
  const differences = column(both, name, "total_difference");
  column(both, name, "type").forEach((type, i) => {
    expect(sums[i]).toBe(totals[types.indexOf(type)]);
    expect(differences[i]).toBe(Number(sums[i]) - Number(column(both, name, "total")[i]));
  });
  expect(Number(differences[0]) / Number(column(both, name, "total")[0])).toBeCloseTo(0.3, 1);
});

test("a step beside all steps is compared per step, and that is told", async ({ page }) => {
  await served.open(page, "/kernels?step=2&other=0");
  const grid = page.getByRole("grid", { name: "Kernels by type" });
  await expect(grid.getByRole("columnheader", { name: /Total difference per step/ })).toBeVisible();
  await expect(page.getByText(/of 1 step here and of 3 steps/)).toBeVisible();
  await expect(page.getByRole("link", { name: "beside all steps" })).toBeVisible();
});

test("a range stands beside a range", async ({ page }) => {
  await served.open(page, "/kernels?base_range=0~40000000&other=0&other_range=70000000~110000000");
  await expect(
    page.getByRole("grid", { name: "Kernels by type" }).getByRole("columnheader", { name: /Total difference/ }),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: /^beside 70\.000 ms \+ 40\.000 ms/ })).toBeVisible();
});

test("memory of both sides is in one picture", async ({ page }) => {
  await served.open(page, "/memory?other=2");
  const legend = page.locator(".curve-legend");
  await expect(legend.getByRole("button", { name: /^PTA allocated/ })).toBeVisible();
  await expect(legend.getByRole("button", { name: /^Rank 2: PTA allocated/ })).toBeVisible();
  await page.getByRole("button", { name: "End the comparison" }).click();
  await expect(legend.getByRole("button", { name: /^Rank 2/ })).toHaveCount(0);
});

test("the overview has the steps of both sides", async ({ page }) => {
  await served.open(page, "/overview?other=2");
  const steps = page.getByRole("region", { name: "Where the time of each step goes" });
  await expect(steps.getByRole("listitem", { name: /^Step \d/ })).toHaveCount(6);
  await expect(steps).toContainText("Rank 2");
});

test("rows are sorted by their difference, and are all in the CSV file", async ({ page }) => {
  await served.open(page, "/kernels?other=2");
  const grid = page.getByRole("grid", { name: "Kernels by type" });
  await grid.getByRole("columnheader", { name: /Total difference/ }).click();
  await expect(grid.locator("[aria-rowindex='2']")).toContainText(/\+\d+\.\d{3}/);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  let text = "";
  for await (const chunk of await (await download).createReadStream()) text += String(chunk);
  expect(text.split("\n")[0]).toContain("Compared total (ns),Total difference (ns)");
});
