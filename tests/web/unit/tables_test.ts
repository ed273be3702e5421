import { expect, test } from "@playwright/test";
import { functions_of, lay_out, sandwich } from "../../../web/src/charts/stack_layout";
import { best_matches, fuzzy_score } from "../../../web/src/keys/fuzzy";
import { find_binding, kPageKeys, kTimelineKeys } from "../../../web/src/keys/keymap";
import { column_look } from "../../../web/src/tables/cells";
import { next_sort, parse_sort, row_order, sort_text } from "../../../web/src/tables/order";
import { kMostPx, scroll_to, space_height, visible_window } from "../../../web/src/tables/scroll";
import { TreeRows } from "../../../web/src/tables/tree_rows";
import { csv_cell, csv_text } from "../../../web/src/text/csv";
import { duration, nice_step, share } from "../../../web/src/text/numbers";
import {
  contrast,
  parse_colour,
  name_hash,
  kCategories,
  slice_paint,
} from "../../../web/src/theme/palette";

const columns = [
  { key: "name", title: "Name", kind: "text" as const },
  { key: "total", title: "Total", kind: "duration" as const },
];
const rows = [
  ["b", 2000],
  ["a10", null],
  ["a9", 1e9],
  ["c", 5],
] as [string, number | null][];

test("absent cells come last in both directions, and names with numbers are in their order", () => {
  expect(row_order(rows, columns, "", { column: 1, descending: true })).toEqual([2, 0, 3, 1]);
  expect(row_order(rows, columns, "", { column: 1, descending: false })).toEqual([3, 0, 2, 1]);
  expect(row_order(rows, columns, "A", { column: 0, descending: false })).toEqual([2, 1]);
});

test("a column is sorted down, up, and not at all; the address keeps it", () => {
  const first = next_sort(1, "duration", null);
  expect(first).toEqual({ column: 1, descending: true });
  expect(next_sort(1, "duration", first)).toEqual({ column: 1, descending: false });
  expect(next_sort(1, "duration", { column: 1, descending: false })).toBeNull();
  expect(parse_sort(sort_text("t", columns, first), "t", columns)).toEqual(first);
  expect(parse_sort("t:-total", "other", columns)).toBeNull();
});

test("a table of a hundred million rows fits into what browsers can scroll, to its last row", () => {
  const total = 100_000_000;
  expect(space_height(total, 24)).toBe(kMostPx);
  const height = 600;
  const bottom = visible_window(kMostPx - height, height, total, 24);
  expect(bottom.last).toBe(total);
  const top = scroll_to(total - 1, 0, height, total, 24);
  const shown = visible_window(top, height, total, 24);
  expect(shown.first).toBeLessThan(total - 1);
  expect(shown.last).toBe(total);
  expect(scroll_to(3, 0, height, 100, 24)).toBe(0);
});

test("cells that a spreadsheet would run get a quote", () => {
  expect(csv_cell("=1+1")).toBe("'=1+1");
  expect(csv_cell('say "a,b"')).toBe('"say ""a,b"""');
  expect(csv_cell(-5)).toBe("-5");
  expect(
    csv_text([
      ["a", 1],
      ["@b", null],
    ]),
  ).toBe("a,1\n'@b,\n");
});

test("durations of a table share a unit, and hints are exact", () => {
  const table = [
    ["a", 154483511],
    ["b", 8873756],
  ] as [string, number][];
  const look = column_look(columns, table, 1);
  expect(look.unit).toBe("ms");
  expect(look.text(8873756)).toBe("8.874");
  expect(look.hint(8873756)).toBe("8\u202f873.756 µs");
  expect(duration(101963203)).toBe("101.963 ms");
  expect(share(0.0574)).toBe("5.74 %");
  expect([3, 12, 45, 0.2].map(nice_step)).toEqual([5, 20, 50, 0.2]);
});

test("indented rows open and close with what is below them", () => {
  const table = {
    name: "t",
    title: "t",
    notes: [],
    usual_rows: 0,
    total_rows: 4,
    columns,
    rows: [
      ["A", 4],
      ["  B", 3],
      ["    C", 2],
      ["D", 1],
    ] as [string, number][],
  };
  const tree = new TreeRows(table, 0);
  expect(tree.total).toBe(4);
  tree.toggle(0);
  expect(tree.total).toBe(2);
  tree.set_all(true);
  tree.arrange("", { column: 1, descending: false });
  const shown = () =>
    Array.from({ length: tree.total }, (_, i) => String(tree.row(i)![0]).trim()).join("");
  expect(shown()).toBe("DABC");
  let closed: number[] = [];
  tree.on_closed = (places) => (closed = places);
  tree.toggle(2); // B: what is left keeps its order.
  expect(shown()).toBe("DAB");
  expect(closed).toEqual([1]);
  tree.close([0]);
  expect(shown()).toBe("DA");
});

test("stacks are laid out left heavy, and a function is seen from both sides", () => {
  const nodes = [
    { name: "main", parent: null, count: 1, total: 100, self: 10 },
    { name: "f", parent: 0, count: 2, total: 30, self: 30 },
    { name: "g", parent: 0, count: 1, total: 60, self: 20 },
    { name: "f", parent: 2, count: 1, total: 40, self: 40 },
  ];
  const data = lay_out(nodes, "heavy");
  expect(data.total).toBe(100);
  expect(
    data.nodes.map(([name, depth, begin, length]) => [data.names[name], depth, begin, length]),
  ).toEqual([
    ["main", 0, 0, 100],
    ["g", 1, 0, 60],
    ["f", 2, 0, 40],
    ["f", 1, 60, 30],
  ]);
  expect(functions_of(nodes)[0]).toEqual({ name: "f", count: 3, total: 70, self: 70 });
  const { callers } = sandwich(nodes, "f");
  expect(callers.map((node) => [node.name, node.total])).toEqual([
    ["f", 70],
    ["main", 30],
    ["g", 40],
    ["main", 40],
  ]);
});

test("letters in order find a command, words at their beginnings first", () => {
  expect(fuzzy_score("Stream 2", "zz")).toBeNull();
  expect(
    best_matches(
      ["Overlap Analysis: Free", "Stream 4", "Ascend: Stream 4"],
      (text) => text,
      "stream 4",
      2,
    )[0],
  ).toBe("Stream 4");
});

const press = (key: string, code: string, more = {}) => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
});

test("wasd are places on the keyboard, signs are signs, and the browser keeps its keys", () => {
  expect(find_binding(press("z", "KeyW"), kTimelineKeys)?.action).toBe("zoom_in"); // AZERTY
  expect(find_binding(press("?", "Slash", { shiftKey: true }), kPageKeys)?.action).toBe("help");
  expect(find_binding(press("?", "Minus", { shiftKey: true }), kPageKeys)?.action).toBe("help"); // QWERTZ
  expect(find_binding(press("k", "KeyK", { ctrlKey: true }), kPageKeys)?.action).toBe("commands");
  expect(find_binding(press("k", "KeyK"), kTimelineKeys)?.action).toBe("mark_moment");
  for (const key of ["r", "w"])
    expect(
      find_binding(press(key, `Key${key.toUpperCase()}`, { ctrlKey: true }), [
        ...kPageKeys,
        ...kTimelineKeys,
      ]),
    ).toBeUndefined();
  expect(find_binding(press("F5", "F5"), [...kPageKeys, ...kTimelineKeys])).toBeUndefined();
});

test("no key does two things", () => {
  const all = [...kTimelineKeys, ...kPageKeys].flatMap((binding) => binding.keys);
  expect(new Set(all).size).toBe(all.length);
});

test("text on every colour can be read, light and dark", () => {
  for (const dark of [false, true]) {
    for (const category of kCategories) {
      for (const name of ["MatMul", "aten::add", "x", "Notify Wait", "hcom"]) {
        const { fill, text } = slice_paint(category, name, dark);
        const parts = fill.slice(4, -1).split(",").map(Number) as [number, number, number];
        expect(
          contrast(parts, parse_colour(text)),
          `${category} ${name} ${dark}`,
        ).toBeGreaterThanOrEqual(4.4);
      }
    }
  }
  expect(name_hash("abc")).not.toBe(name_hash("cab"));
});
