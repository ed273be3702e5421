// A timeline of a GPU is told of in words of a GPU.

import { data, missing } from "../surroundings";
import { expect, serve, test, timeline_ready } from "./served";

test.skip(missing(data.chrome) !== "", missing(data.chrome));

const served = serve(() => data.chrome);

test("layers, devices and kinds of slices have the names of a GPU", async ({ page }) => {
  await served.open(page, "/timeline");
  await timeline_ready(page);
  const groups = await page.locator(".tl-label.tl-group").allInnerTexts();
  const text = groups.join("\n");
  expect(text).toContain("GPU Hardware");
  expect(text).toContain("GPU 0");
  expect(text).toContain("CUDA");
  expect(text).not.toMatch(/Ascend|CANN|NPU/);
  const lanes = JSON.stringify(await served.ask(page, "lanes?p=0"));
  expect(lanes).toContain('"Collectives"'); // The trace does not tell of their group.
  expect(lanes).not.toContain("Group N/A");
  const hit = (await served.ask(page, "hit?p=0&q=cudaLaunchKernel&k=0")) as {
    lane: number;
    event: number;
  };
  await served.open(page, `/timeline?slice=0.${hit.lane}.${hit.event}`);
  await timeline_ready(page);
  const panel = page.getByRole("region", { name: "Details", exact: true });
  await expect(panel).toContainText(/Kind\s*CUDA/);
});
