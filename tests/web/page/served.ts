// The page of a profile, served by the program: one server for all tests of a file.

import { test as base, expect, type Page, type Request } from "@playwright/test";
import { spawn, type ChildProcess } from "node:child_process";
import { npuprof } from "../surroundings";

export class Served {
  private process: ChildProcess | null = null;
  url = "";
  token = "";

  constructor(private readonly path: string) {}

  async start(): Promise<void> {
    const page = process.env["NPUPROF_PAGE"]; // A page that is not built into the program yet.
    const child = spawn(npuprof, [
      "view",
      this.path,
      "--no-open",
      ...(page ? ["--page", page] : []),
    ]);
    this.process = child;
    const printed = await new Promise<string>((resolve, reject) => {
      let text = "";
      const take = (chunk: Buffer) => {
        text += String(chunk);
        const match = /http:\/\/\S+#t=\S+/.exec(text);
        if (match) resolve(match[0]);
      };
      child.stdout.on("data", take);
      child.stderr.on("data", (chunk: Buffer) => (text += String(chunk)));
      child.on("exit", () => reject(new Error(`npuprof view ended: ${text}`)));
    });
    const [url, token] = printed.split("#t=");
    this.url = url!;
    this.token = token!;
  }

  stop(): void {
    this.process?.removeAllListeners("exit");
    this.process?.kill("SIGINT");
  }

  // Opens a state of the page, such as "/timeline?t=0~1000".
  async open(page: Page, state = ""): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${this.url}#t=${this.token}${state ? `&${state}` : ""}`);
    await expect(page.locator("h1")).toHaveText("npuprof");
  }

  // Another state of the page that is open, as when somebody follows a link: quicker than to open it.
  async follow(page: Page, state: string): Promise<void> {
    await page.evaluate((to) => (location.hash = to), state);
    await settled(page);
  }

  async ask(page: Page, path: string): Promise<unknown> {
    const reply = await page.request.get(`${this.url}api/${path}`, {
      headers: { "X-Npuprof-Token": this.token },
    });
    return reply.json();
  }
}

const waited_for = new WeakMap<Page, Set<Request>>();

// A test of a page on which no script may fail.
export const test = base.extend<{ faultless: void }>({
  faultless: [
    async ({ page }, use) => {
      const requests = new Set<Request>();
      waited_for.set(page, requests);
      page.on("request", (request) => requests.add(request));
      page.on("requestfinished", (request) => requests.delete(request));
      page.on("requestfailed", (request) => requests.delete(request));
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("dialog", (dialog) => {
        faults.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await use();
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

export function serve(path: () => string): Served {
  const served = new Served("");
  test.beforeAll(async () => {
    Object.assign(served, { path: path() });
    await served.start();
  });
  test.afterAll(() => served.stop());
  return served;
}

export { expect };

const kQuiet = 60; // ms

// The page has all that it asked for, and asks for nothing more.
export async function settled(page: Page): Promise<void> {
  const requests = waited_for.get(page)!;
  await expect(async () => {
    for (let quiet = 0; quiet < kQuiet; quiet += 20) {
      expect(requests.size).toBe(0);
      await page.waitForTimeout(20);
    }
    expect(await page.locator(".busy[role=status]:visible, .reading:not(:empty)").count()).toBe(0);
  }).toPass({ intervals: [20], timeout: 40_000 });
}

// The timeline has drawn what it asked for.
export async function timeline_ready(page: Page): Promise<void> {
  await expect(page.locator(".tl-label.tl-lane").first()).toBeVisible();
  await settled(page);
}

// The label of a lane, by its exact name.
export function lane(page: Page, name: string) {
  return page
    .locator(".tl-label.tl-lane")
    .filter({ has: page.locator(".tl-text", { hasText: new RegExp(`^${name}$`) }) });
}

export async function fragment(page: Page): Promise<string> {
  await page.waitForTimeout(400); // The address follows the state at rest.
  return decodeURIComponent(new URL(page.url()).hash);
}
