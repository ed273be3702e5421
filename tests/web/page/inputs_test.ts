// Every kind of input opens: raw data, databases, timelines of others; damaged ones say so.

import {
  data,
  hostile_inputs,
  hostile_timeline,
  kHostileName,
  missing,
  npusim,
  simulated,
} from "../surroundings";
import { expect, serve, settled, test, timeline_ready } from "./served";

const kViewsWithNames = [
  ...["overview", "kernels", "kernels?tab=kernels", "kernels?tab=mfu", "modules"],
  ...["modules?tab=modules", "idle", "memory", "communication", "host", "advisor", "compare"],
  `sql?sql=${encodeURIComponent("select type, name from kernel")}`,
];

test.describe("a database", () => {
  test.skip(missing(data.db) !== "", missing(data.db));
  const served = serve(() => data.db);

  test("has the numbers of its own run", async ({ page }) => {
    await served.open(page, "/overview?unit=us");
    const step = page.getByRole("listitem", { name: /Step/ });
    await expect(step.first()).toHaveAttribute("aria-label", /not overlapped 98\u202f071\.947 µs/);
    await page.getByRole("link", { name: "Kernels" }).click();
    await expect(
      page.getByRole("grid", { name: "Kernels by type" }).locator("[aria-rowindex='2']"),
    ).toContainText("1\u202f947.618");
    await page.getByRole("link", { name: "Timeline" }).click();
    await timeline_ready(page);
    await page.getByRole("searchbox", { name: "Filter lanes" }).fill("stream");
    await expect(page.locator(".tl-label", { hasText: "Stream 4" })).toBeVisible();
    await page.getByRole("searchbox", { name: "Filter lanes" }).fill("not overlapped");
    await expect(page.locator(".tl-label", { hasText: "Not Overlapped" })).toContainText("101");
    await served.open(
      page,
      `/sql?sql=${encodeURIComponent("select cast(stream as text) as stream, count(*) as tasks from task group by 1")}`,
    );
    const result = page.getByRole("grid", { name: "Result" });
    for (const [row, text] of [
      [2, "02"],
      [3, "2232"],
      [4, "36"],
      [5, "4312"],
    ] as const)
      await expect(result.locator(`[aria-rowindex='${row}']`)).toHaveText(text);
  });
});

test.describe("a timeline of a GPU", () => {
  test.skip(missing(data.chrome) !== "", missing(data.chrome));
  const served = serve(() => data.chrome);

  test("opens with its lanes and kernels", async ({ page }) => {
    await served.open(page, "/timeline");
    await timeline_ready(page);
    await expect(page.locator(".tl-label.tl-lane").first()).toBeVisible();
    await page.getByRole("link", { name: "Kernels" }).click();
    await expect(page.getByRole("grid")).toBeVisible();
    await expect(page.getByRole("link", { name: "Communication" })).toBeVisible();
  });
});

test.describe("raw data that lost records", () => {
  test.skip(missing(npusim) !== "", missing(npusim));
  const served = serve(() => simulated("cut", "toy", "--truncate"));

  test("says what was lost where the numbers are", async ({ page }) => {
    await served.open(page);
    const tiles = page.getByRole("list", { name: "Key numbers" });
    await expect(tiles).toContainText("parts are missing");
    await expect(
      page.getByRole("region", { name: "How far to trust it" }).locator(".loss").first(),
    ).toBeVisible();
    await page.getByRole("link", { name: "Timeline" }).click();
    await timeline_ready(page);
    const lanes = (await served.ask(page, "lanes?p=0")) as {
      groups: { lanes: { hatched?: string }[] }[];
    };
    const hatched = lanes.groups.flatMap((group) => group.lanes).filter((lane) => lane.hatched);
    expect(hatched.length).toBeGreaterThan(0);
    await expect(page.getByRole("img", { name: "Records were lost here" }).first()).toBeVisible();
  });
});

test.describe("names that would like to be markup", () => {
  test.skip(missing() !== "", missing());
  const served = serve(() => hostile_timeline());

  test("are texts everywhere, and run nothing", async ({ page }) => {
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await served.open(page, "/timeline?slice=0.0.0");
    await timeline_ready(page);
    await expect(page.locator(".details-name")).toContainText("<img src=x onerror=alert(1)>");
    await expect(page.getByRole("region", { name: "Details" })).toContainText(
      "<img src=x onerror=alert(4)>",
    ); // In the stack.
    await page.getByRole("searchbox", { name: "Search slices" }).fill("<");
    await expect(page.locator(".search-count")).not.toHaveText("");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.getByRole("grid", { name: "Hits" })).toContainText("</script>");
    await page.getByRole("button", { name: "Lane", exact: true }).click();
    for (const view of ["overview", "kernels", "host", "sql"]) await served.open(page, `/${view}`);
    expect(await page.locator("img, svg[onload]").count()).toBe(0);
    expect(
      requests.filter(
        (url) =>
          !url.startsWith(served.url) &&
          !url.startsWith("data:") &&
          !url.startsWith("blob:") &&
          !url.startsWith("about:"),
      ),
    ).toEqual([]);
  });
});

for (const [name, path] of Object.entries(hostile_inputs)) {
  test.describe(`a kernel that would like to be markup, in ${name}`, () => {
    test.skip(missing(npusim) !== "", missing(npusim));
    const served = serve(path);

    test("is a text on every view", async ({ page }) => {
      await served.open(page, "/timeline");
      await settled(page);
      const hit = (await served.ask(page, `hit?p=0&q=${encodeURIComponent(kHostileName)}&k=0`)) as {
        lane: number;
        event: number;
      };
      await served.follow(page, `/timeline?slice=0.${hit.lane}.${hit.event}`);
      await expect(page.locator(".details-name")).toContainText(kHostileName);
      await page.keyboard.press("Control+k");
      await page.keyboard.type("onerror");
      await page.keyboard.press("Escape");
      for (const view of kViewsWithNames) {
        await served.follow(page, `/${view}`);
        expect(await page.locator("img").count(), view).toBe(0);
        if (view === "kernels" || view === "kernels?tab=kernels")
          await expect(page.locator("main")).toContainText("<img src=x");
      }
    });
  });
}

test.describe("a job that runs compiled graphs", () => {
  test.skip(missing(npusim) !== "", missing(npusim));
  const served = serve(() => simulated("graph", "graph-mode", "--recompile-every", "3"));

  test("has each execution as a bar, apart those that compiled", async ({ page }) => {
    await served.open(page, "/host");
    await page.getByRole("button", { name: "Head overhead of graphs" }).click();
    const warm = page.getByRole("region", { name: "Warm executions" });
    await expect(warm.getByRole("listitem")).toHaveCount(15);
    await expect(warm.getByRole("listitem").first()).toHaveAttribute(
      "aria-label",
      /147\.000 µs; Front end 45\.400 µs, TorchAir, Python 60\.400 µs/,
    );
    await expect(
      page
        .getByRole("region", { name: "Executions that compiled or loaded" })
        .getByRole("listitem"),
    ).toHaveCount(5);
    await warm.getByRole("button").first().click();
    await expect(page.getByRole("link", { name: "Timeline" })).toHaveAttribute(
      "aria-current",
      "page",
    );
  });
});
