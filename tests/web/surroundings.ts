// What the tests need from outside of the source tree, and where it is.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
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

// One rank with all that a simulated job can have.
function full_job(): string {
  const job = "transformer --layers 2 --steps 2 --with-modules --with-stack --mstx";
  return simulated("full", ...job.split(" "));
}

function parsed(job: string, to: "text" | "db"): string {
  const out = `${job}-${to}`;
  if (!existsSync(out)) {
    const run = spawnSync(npuprof, ["parse", job, "--export", to, "-o", out], { encoding: "utf8" });
    if (run.status !== 0) throw new Error(`npuprof parse: ${run.stderr}`);
  }
  return out;
}

// A timeline alone, as the profiler of PyTorch writes it.
function chrome_timeline(job: string): string {
  const out = parsed(job, "text");
  const files = readdirSync(out, { recursive: true, encoding: "utf8" });
  const timeline = files.find((file) => file.endsWith("trace_view.json"));
  if (!timeline) throw new Error(`no timeline in ${out}`);
  return join(out, timeline);
}

// The same job with a kernel whose name would like to be markup. It is as long as the true one, so
// that files of any kind stay whole.
export const kHostileName = "<img src=x onerror>";

function hostile_job(): string {
  const job = `${full_job()}-hostile`;
  if (!existsSync(job)) {
    cpSync(full_job(), job, { recursive: true });
    for (const entry of readdirSync(job, { recursive: true, encoding: "utf8" })) {
      const file = join(job, entry);
      if (!statSync(file).isFile()) continue;
      const text = readFileSync(file, "latin1");
      writeFileSync(file, text.replaceAll("FlashAttentionScore", kHostileName), "latin1");
    }
  }
  return job;
}

export const hostile_inputs = {
  "raw data": hostile_job,
  "a database": () => parsed(hostile_job(), "db"),
  "a folder of tables": () => parsed(hostile_job(), "text"),
  "a timeline of PyTorch": () => chrome_timeline(hostile_job()),
};

// Each kind of input that the page opens: what it needs, and where it is.
export const inputs = {
  "raw data": { needs: npusim, path: full_job },
  "a database": { needs: data.db, path: () => data.db },
  "a folder of tables": { needs: data.text, path: () => data.text },
  "a timeline of PyTorch": { needs: npusim, path: () => chrome_timeline(full_job()) },
  "a timeline of a GPU": { needs: data.chrome, path: () => data.chrome },
  "a cluster": { needs: npusim, path: slow_rank_job },
} as const;

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
