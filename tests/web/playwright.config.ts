import { defineConfig, type PlaywrightTestConfig } from "@playwright/test";
import { chromium_path } from "./surroundings";

// `unit` are pure parts of the page, without a browser; `page` is the page itself, served by the
// real program.
// Only when it is asked for: `pictures` draws those of the documentation, `frames` measures.
const by_hand = process.env["NPUPROF_BY_HAND"];

const browser: PlaywrightTestConfig["use"] = {
  browserName: "chromium",
  viewport: { width: 1280, height: 800 },
  launchOptions: {
    executablePath: chromium_path(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  },
};

export default defineConfig({
  testDir: ".",
  outputDir: "../../build/web-tests",
  timeout: 30_000,
  expect: { timeout: 12_000 },
  // Machines that test are busy: what fails twice has failed.
  retries: 1,
  workers: 2,
  fullyParallel: false,
  reporter: [["list"]],
  projects: [
    { name: "unit", testDir: "unit", testMatch: "*_test.ts" },
    { name: "page", testDir: "page", testMatch: "*_test.ts", use: browser },
    ...(by_hand
      ? [{ name: by_hand, testDir: "page", testMatch: `${by_hand}.ts`, use: browser }]
      : []),
  ],
});
