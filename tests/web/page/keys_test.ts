// Every key of the list, and every way to use the mouse, does what the help says of it.

import type { Page } from "@playwright/test";
import { key_text, kMouseGestures, kPageKeys, kTimelineKeys } from "../../../web/src/keys/keymap";
import { fragment_to_state, type PageState } from "../../../web/src/state/url";
import { inputs, missing, npusim } from "../surroundings";
import { expect, lane, serve, test, timeline_ready } from "./served";

test.skip(missing(npusim) !== "", missing(npusim));
const served = serve(inputs["a cluster"].path);

interface Seen {
  state: PageState;
  scrolled: number;
  dialog: string;
  focused: string;
}

async function look(page: Page): Promise<Seen> {
  const rest = await page.evaluate(() => ({
    scrolled: document.querySelector(".tl-scroll")!.scrollTop,
    dialog: document.querySelector("dialog[open]")?.ariaLabel ?? "",
    focused: document.activeElement?.ariaLabel ?? "",
  }));
  return { state: fragment_to_state(new URL(page.url()).hash), ...rest };
}

const length = ({ state }: Seen) => state.t![1] - state.t![0];
const begin = ({ state }: Seen) => state.t![0];
const zoomed = (before: Seen, after: Seen) => length(before) / length(after);
const panned = (before: Seen, after: Seen) => (begin(after) - begin(before)) / length(before);
const event = ({ state }: Seen) => state.slice!.event;
const place = ({ state }: Seen) => `${state.slice?.lane}.${state.slice?.event}`;
const near = (a: number, b: number) => Math.abs(a - b) < 0.01;

type Slice = "kernel" | "operator"; // An arrow leads from an operator, and to a kernel.

interface Effect {
  first?: string[]; // Keys that are pressed before.
  slice?: Slice;
  happens: (before: Seen, after: Seen) => boolean;
}

const kSelected = { begin: 0, end: 0 }; // Times of the kernel on the page.

const kEffects: Record<string, Effect> = {
  zoom_in: { happens: (before, after) => near(zoomed(before, after), 1.35) },
  zoom_out: { happens: (before, after) => near(zoomed(after, before), 1.35) },
  zoom_in_fast: { happens: (before, after) => zoomed(before, after) > 2 },
  zoom_out_fast: { happens: (before, after) => zoomed(after, before) > 2 },
  pan_left: { happens: (before, after) => near(panned(before, after), -0.12) },
  pan_right: { happens: (before, after) => near(panned(before, after), 0.12) },
  pan_left_fast: { happens: (before, after) => panned(before, after) < -0.4 },
  pan_right_fast: { happens: (before, after) => panned(before, after) > 0.4 },
  page_up: { first: ["PageDown"], happens: (before, after) => after.scrolled < before.scrolled },
  page_down: { happens: (before, after) => after.scrolled > before.scrolled },
  fit: {
    happens: (_, after) =>
      after.state.t![0] <= kSelected.begin &&
      after.state.t![1] >= kSelected.end &&
      length(after) < 3 * (kSelected.end - kSelected.begin),
  },
  reset: { happens: (before, after) => length(after) > 2 * length(before) && begin(after) <= 0 },
  back: { first: ["0"], happens: (before, after) => length(before) > 2 * length(after) },
  next: { happens: (before, after) => event(after) > event(before) },
  previous: { happens: (before, after) => event(after) < event(before) },
  lane_up: { slice: "operator", happens: (before, after) => place(after) !== place(before) },
  lane_down: { slice: "operator", happens: (before, after) => place(after) !== place(before) },
  flow_next: { slice: "operator", happens: (before, after) => place(after) !== place(before) },
  flow_previous: { happens: (before, after) => place(after) !== place(before) },
  slice_range: {
    happens: (_, after) =>
      after.state.range?.[0] === kSelected.begin && after.state.range[1] === kSelected.end,
  },
  clear: { happens: (_, after) => after.state.slice === null },
  mark_range: {
    happens: (_, { state }) => state.marks.length === 1 && state.marks[0]!.end === kSelected.end,
  },
  mark_moment: {
    happens: (_, { state }) =>
      state.marks.length === 1 && state.marks[0]!.begin === state.marks[0]!.end,
  },
  align_starts: { happens: (_, after) => after.state.offsets[2] !== undefined },
  align_ends: { happens: (_, after) => after.state.offsets[2] !== undefined },
  panel: { happens: (_, after) => after.state.tab === "closed" },
  search: { happens: (_, after) => after.focused === "Search slices" },
  commands: { happens: (_, after) => after.dialog === "Commands" },
  help: { happens: (_, after) => after.dialog === "Keys and mouse" },
};

// As Playwright presses them.
const pressed = (key: string) =>
  key
    .split("+")
    .map((part) => ({ shift: "Shift", ctrl: "Control" })[part] ?? part)
    .map((part) => (/^(arrow|escape|backspace)/.test(part) ? capital(part) : part))
    .join("+");
const capital = (key: string) =>
  key.replace(/^(arrow|.)(.)/, (_, head: string, next: string) =>
    head === "arrow" ? `Arrow${next.toUpperCase()}` : head.toUpperCase() + next,
  );

interface Found {
  lane: number;
  event: number;
  begin: number;
  duration: number;
}

let slices: Record<Slice, string>;

// The same state before each: a slice in the middle of what is shown.
async function start(page: Page, slice: Slice = "kernel", lanes = ""): Promise<void> {
  const room = 2_000_000;
  const [from, to] = [kSelected.begin - room, kSelected.end + room];
  await served.follow(page, "/overview");
  await served.follow(
    page,
    `/timeline?ranks=0,2&t=${from}~${to}&slice=${slices[slice]}&lanes=${lanes}`,
  );
  await expect(page.locator(".details-name")).toBeVisible();
  await page.locator(".tl-canvas").focus();
}

test.beforeEach(async ({ page }) => {
  test.setTimeout(90_000);
  await served.open(page, "/timeline?ranks=0,2");
  await timeline_ready(page);
  const find = async (name: string, k: number) =>
    (await served.ask(page, `hit?p=0&q=${name}&case=1&k=${k}`)) as Found;
  const kernel = await find("MatMulV3", 60);
  const operator = await find("aten::mm", 12);
  const detail = (await served.ask(
    page,
    `slice?p=0&lane=${kernel.lane}&event=${kernel.event}`,
  )) as { begin: number; duration: number };
  Object.assign(kSelected, { begin: detail.begin, end: detail.begin + detail.duration });
  slices = {
    kernel: `0.${kernel.lane}.${kernel.event}`,
    operator: `0.${operator.lane}.${operator.event}`,
  };
});

test("each key of the list does what it is there for", async ({ page }) => {
  const bindings = [...kTimelineKeys, ...kPageKeys];
  expect(bindings.map((binding) => binding.action).sort()).toEqual(Object.keys(kEffects).sort());
  for (const { action, keys } of bindings) {
    const { first = [], slice, happens } = kEffects[action]!;
    for (const key of keys) {
      await start(page, slice);
      for (const each of first) await page.keyboard.press(each);
      if (first.length > 0) await page.waitForTimeout(300); // Until the address has it.
      const before = await look(page);
      await page.keyboard.press(pressed(key));
      await expect
        .poll(async () => happens(before, await look(page)), { message: `${key}: ${action}` })
        .toBe(true);
      await page.evaluate(() => document.querySelector<HTMLDialogElement>("dialog[open]")?.close());
    }
  }
});

test("the help lists each key and each way to use the mouse", async ({ page }) => {
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys and mouse" });
  const listed = await dialog.locator("kbd").allTextContents();
  const keys = [...kPageKeys, ...kTimelineKeys].flatMap((binding) => binding.keys.map(key_text));
  expect(listed.sort()).toEqual(keys.sort());
  for (const [gesture, what] of kMouseGestures) {
    await expect(dialog).toContainText(gesture);
    await expect(dialog).toContainText(what);
  }
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

interface Point {
  x: number;
  y: number;
}

async function drag(page: Page, { x, y }: Point, button: "left" | "middle" = "left") {
  await page.mouse.move(x, y);
  await page.mouse.down({ button });
  await page.mouse.move(x + 200, y, { steps: 5 });
  await page.mouse.up({ button });
}

async function holding(page: Page, key: string, act: () => Promise<void>) {
  await page.keyboard.down(key);
  await act();
  await page.keyboard.up(key);
}

interface Gesture {
  lanes?: string; // Of all lanes, those on whose first one the mouse is.
  act: (page: Page, at: Point) => Promise<void>;
  happens: (before: Seen, after: Seen) => boolean;
}

const kGestures: Record<string, Gesture> = {
  "ctrl + wheel, pinch": {
    act: (page) => holding(page, "Control", () => page.mouse.wheel(0, -200)),
    happens: (before, after) => zoomed(before, after) > 1.2,
  },
  "shift + wheel": {
    act: (page) => holding(page, "Shift", () => page.mouse.wheel(0, 200)),
    happens: (before, after) => panned(before, after) > 0.01,
  },
  wheel: {
    act: (page) => page.mouse.wheel(0, 200),
    happens: (before, after) => after.scrolled > before.scrolled && begin(after) === begin(before),
  },
  drag: {
    act: (page, at) => drag(page, at),
    happens: (before, after) => after.state.range !== null && begin(after) === begin(before),
  },
  "alt + drag": {
    act: (page, at) => holding(page, "Alt", () => drag(page, at)),
    happens: (before, after) => zoomed(before, after) > 2,
  },
  "shift + drag, middle drag": {
    act: async (page, at) => {
      await holding(page, "Shift", () => drag(page, at));
      await drag(page, at, "middle");
    },
    // Both, so twice as far as one.
    happens: (before, after) => panned(before, after) < -300 / 1280,
  },
  click: {
    lanes: "computing",
    act: (page, at) => page.mouse.click(at.x, at.y),
    happens: (before, after) => place(after) !== place(before) && after.state.range === null,
  },
  "double click": {
    lanes: "computing",
    act: (page, at) => page.mouse.dblclick(at.x, at.y),
    happens: (_, after) => after.state.range !== null,
  },
  "click on the ruler": {
    act: async (page, { x }) => {
      const ruler = (await page.locator(".tl-stage, .tl-canvas").first().boundingBox())!;
      await page.mouse.click(x, ruler.y + 8);
    },
    happens: (_, { state }) =>
      state.marks.length === 1 && state.marks[0]!.begin === state.marks[0]!.end,
  },
};

test("each way to use the mouse does what the help says", async ({ page }) => {
  expect(Object.keys(kGestures).sort()).toEqual(kMouseGestures.map(([name]) => name).sort());
  for (const [name, { act, happens, lanes }] of Object.entries(kGestures)) {
    await start(page, "operator", lanes);
    const canvas = (await page.locator(".tl-canvas").boundingBox())!;
    const at = { x: canvas.x + canvas.width / 2, y: canvas.y + canvas.height / 2 };
    if (lanes) at.y = (await lane(page, "Computing").first().boundingBox())!.y + 11;
    await page.mouse.move(at.x, at.y);
    const before = await look(page);
    await act(page, at);
    await expect.poll(async () => happens(before, await look(page)), { message: name }).toBe(true);
  }
});
