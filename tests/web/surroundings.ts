// What the tests need from outside of the source tree, and where it is.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const kSource = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

export function chromium_path(): string {
  const configured = process.env["NPUPROF_CHROMIUM"];
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
    existsSync,
  );
  return configured ?? found ?? "/usr/bin/chromium";
}

function program(name: string): string {
  const folder = process.env["NPUPROF_PROGRAMS"] ?? join(kSource, "build/release/bin");
  return join(folder, name);
}

export const npuprof = program("npuprof");
export const npusim = program("npusim");

// Reference data: $NPUPROF_SHARED, else `../shared` beside the source tree.
const shared = process.env["NPUPROF_SHARED"] ?? join(kSource, "..", "shared");

export const data = {
  text: join(shared, "data/real/text/level1"),
  db: join(shared, "data/real/db/level1"),
  chrome: join(shared, "data/real/gpu_chrome_trace/sampled_rank-0.json.gz"),
};

// Why a test cannot run here, or nothing.
export function missing(...paths: string[]): string {
  const gone = [chromium_path(), npuprof, ...paths].filter((path) => !existsSync(path));
  return gone.length > 0 ? `not here: ${gone.join(", ")}` : "";
}

let jobs = "";

// A simulated job, made once for a run of the tests.
export function simulated(name: string, ...arguments_: string[]): string {
  jobs ||= process.env["NPUPROF_TEST_JOBS"] ?? mkdtempSync(join(tmpdir(), "npuprof-page-"));
  const out = join(jobs, name);
  if (!existsSync(out)) {
    mkdirSync(jobs, { recursive: true });
    const run = spawnSync(npusim, [...arguments_, "-o", out], { encoding: "utf8" });
    if (run.status !== 0) throw new Error(`npusim: ${run.stderr}`);
  }
  return out;
}

// Four ranks, of which rank 2 computes longer: the others wait for it.
export function slow_rank_job(): string {
  const job = "transformer --ranks 4 --dp 4 --layers 2 --steps 3 --slow-rank 2:1.3";
  return simulated("slow", ...job.split(" "));
}

// A timeline whose names try to become markup.
export function hostile_timeline(): string {
  jobs ||= mkdtempSync(join(tmpdir(), "npuprof-page-"));
  mkdirSync(jobs, { recursive: true });
  const path = join(jobs, "hostile.json");
  const names = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "=cmd|' /C calc'!A0",
    '"><svg onload=alert(3)>',
    "\u202Eevil\u202C",
  ];
  const events: object[] = [
    { ph: "M", pid: 1, tid: 1, name: "thread_name", args: { name: "<b>thread</b>" } },
    { ph: "M", pid: 1, name: "process_name", args: { name: "<i>process</i>" } },
  ];
  names.forEach((name, i) =>
    events.push({
      ph: "X",
      pid: 1,
      tid: 1,
      name,
      ts: 1000 + i * 100,
      dur: 90,
      cat: "cpu_op",
      args: { "Call stack": "<img src=x onerror=alert(4)>(3): f;\r\n<b>g</b>.py(1): g" },
    }),
  );
  writeFileSync(path, JSON.stringify({ traceEvents: events }));
  return path;
}
