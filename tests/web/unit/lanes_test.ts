import { expect, test } from "@playwright/test";
import { decode_slices, last_not_after } from "../../../web/src/api/slices";
import {
  build_tree,
  matches_filter,
  move_before,
  rows_between,
} from "../../../web/src/timeline/lane_tree";
import { Clock } from "../../../web/src/timeline/clock";
import { matcher } from "../../../web/src/timeline/matcher";
import { tick_text } from "../../../web/src/text/ticks";

const lane = (id: number, name: string, rows = 1, kind: "slices" | "counter" = "slices") => ({
  id,
  name,
  kind,
  rows,
  count: 5,
  begin: 0,
  end: 10,
  category: "vector",
});
const group = (id: number, name: string, lanes: ReturnType<typeof lane>[]) => ({
  id,
  name,
  label: "NPU 0",
  sort: id,
  is_host: false,
  lanes,
});
const groups = [
  group(0, "Hardware", [lane(0, "Stream 1"), lane(1, "Stream 2", 7)]),
  group(1, "Memory", [lane(2, "HBM", 1, "counter")]),
];
const none = { open: [], pinned: [], hidden: [], order: [], filter: "" };

test("groups of samples begin closed, lanes stand below one another without gaps", () => {
  const tree = build_tree([{ p: 0, label: "Rank 0", groups }], none);
  expect(tree.rows.map((row) => row.label)).toEqual([
    "Hardware · NPU 0",
    "Stream 1",
    "Stream 2",
    "Memory · NPU 0",
  ]);
  let y = 0;
  for (const row of tree.rows) {
    expect(row.y).toBe(y);
    y += row.height;
  }
  expect(tree.height).toBe(y);
  expect(
    rows_between(tree.rows, tree.rows[1]!.y, tree.rows[1]!.y + 1).map((row) => row.label),
  ).toEqual(["Stream 1"]);
});

test("lanes are hidden, pinned, filtered and moved by their keys", () => {
  const profiles = [{ p: 0, label: "Rank 0", groups }];
  const hidden = build_tree(profiles, { ...none, hidden: ["0.0"] });
  expect(hidden.hidden_count).toBe(1);
  expect(hidden.rows.some((row) => row.label === "Stream 1")).toBe(false);
  expect(build_tree(profiles, { ...none, pinned: ["0.1"] }).pinned.map((row) => row.label)).toEqual(
    ["Stream 2"],
  );
  expect(build_tree(profiles, { ...none, filter: "hbm" }).rows.map((row) => row.label)).toEqual([
    "Memory · NPU 0",
    "HBM",
  ]);
  expect(
    build_tree(profiles, { ...none, order: ["0.1>0.0", "g0.1>g0.0"] }).rows.map((row) => row.label),
  ).toEqual(["Memory · NPU 0", "Hardware · NPU 0", "Stream 2", "Stream 1"]);
});

test("several profiles stand one above the other, each below its name", () => {
  const tree = build_tree(
    [
      { p: 0, label: "Rank 0", groups },
      { p: 1, label: "Rank 1", groups },
    ],
    { ...none, open: ["r0"] },
  );
  expect(tree.rows.map((row) => row.label)).toEqual([
    "Rank 0",
    "Rank 1",
    "Hardware · NPU 0",
    "Stream 1",
    "Stream 2",
    "Memory · NPU 0",
  ]);
});

test("moving something behind the last, or to where it is, keeps everything", () => {
  const key = (text: string) => text;
  expect(move_before(["a", "b", "c"], key, ["a>"])).toEqual(["b", "c", "a"]);
  expect(move_before(["a", "b", "c"], key, ["b>b", "x>a", "a>x"])).toEqual(["a", "b", "c"]);
  expect(matches_filter("Hardware NPU 0 Stream 12", "12 hard")).toBe(true);
  expect(matches_filter("Hardware NPU 0 Stream 12", "13")).toBe(false);
});

test("clocks of profiles are exact though absolute times are beyond a double", () => {
  const clock = new Clock();
  clock.set(
    [
      { p: 0, zero_ns: "1736408883573887920" },
      { p: 1, zero_ns: "1736408883573887921" },
    ],
    { 1: 10 },
  );
  expect(clock.to_page(1, 5)).toBe(16);
  expect(clock.to_profile(1, 16)).toBe(5);
  expect(clock.to_page(0, 5)).toBe(5);
});

test("a reply about lanes is read without a copy, and a cut one is an error", () => {
  const n = 3;
  const buffer = new ArrayBuffer(16 + 16 + 24 + 24 + 16 + 16 + 16 + 8 + 8 + 8);
  const view = new DataView(buffer);
  [0x4c50554e, 1, 1, 4, 9, 0, n, 0].forEach((value, i) => view.setUint32(i * 4, value, true));
  [10, 20, 30].forEach((value, i) => view.setFloat64(32 + i * 8, value, true));
  [1, 2, 3].forEach((value, i) => view.setUint32(80 + i * 4, value, true));
  const reply = decode_slices(buffer, () => 1);
  const data = reply.lanes[0]!;
  expect(reply.level).toBe(4);
  expect(data.kind === "slices" && [...data.start]).toEqual([10, 20, 30]);
  expect(data.kind === "slices" && [...data.name]).toEqual([1, 2, 3]);
  expect(() => decode_slices(buffer.slice(0, 60), () => 1)).toThrow("too early");
  expect(() => decode_slices(new ArrayBuffer(16), () => 1)).toThrow("version");
  expect(last_not_after(new Float64Array([10, 20, 30]), 25)).toBe(1);
  expect(last_not_after(new Float64Array([10, 20, 30]), 5)).toBe(-1);
});

test("names light up as the server finds them", () => {
  expect(matcher("add", "")("aten::add", "aten::Add")).toBe(true);
  expect(matcher("add", "c")("aten::add", "aten::Add")).toBe(false);
  expect(matcher("add", "w")("aten::add_", "aten::add_")).toBe(false);
  expect(matcher("a.d$", "r")("aten::add", "aten::add")).toBe(true);
  expect(matcher("(", "r")("x", "x")).toBe(true);
});

test("ticks have as many digits as their distance asks for", () => {
  expect(tick_text(150e6, 20e6)).toBe("150 ms");
  expect(tick_text(150_500_000, 500_000)).toBe("150.5 ms");
  expect(tick_text(0, 1e6)).toBe("0 ms");
  expect(tick_text(25, 5)).toBe("25 ns");
});
