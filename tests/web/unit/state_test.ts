import { expect, test } from "@playwright/test";
import {
  fragment_to_state,
  split_token,
  state_to_fragment,
  usual_state,
} from "../../../web/src/state/url";

test("a usual state is the name of its view alone", () => {
  expect(state_to_fragment(usual_state())).toBe("#/overview");
});

test("every part of a state survives its address", () => {
  const state = {
    ...usual_state(),
    view: "timeline",
    p: 3,
    ranks: [3, 0],
    step: 7,
    t: [-12.5, 1e12 + 0.25] as [number, number],
    range: [5, 5] as [number, number],
    range_lanes: ["3.1", "0.2"],
    slice: { p: 3, lane: 12, event: 4096 },
    open: ["g3.1"],
    pinned: ["3.4"],
    hidden: ["3.9"],
    order: ["g3.1>", "3.1>3.2"],
    lanes: "stream 2",
    offsets: { 3: -1500, 0: 0.5 },
    marks: [{ begin: 1, end: 2.5, name: "slow, 50 % of ~ all" }],
    q: "a&b=c#d",
    how: "cw",
    flows: "async_npu,fwdbwd",
    sort: "kernels:-duration",
    find: "kernels:MatMul",
    other: 0,
    sql: "select '%' from kernel\nwhere a = 1",
    unit: "us",
  };
  expect(fragment_to_state(state_to_fragment(state))).toEqual(state);
});

test("an address that is cut or strange opens as far as it can be read", () => {
  expect(
    fragment_to_state("#/timeline?t=5~2&p=x&slice=1.2&q=%E0%A4%A&unknown=1&__proto__=2"),
  ).toEqual({
    ...usual_state(),
    view: "timeline",
    q: "%E0%A4%A",
  });
  expect(fragment_to_state("nonsense !")).toEqual(usual_state());
});

test("the token is told apart from the state", () => {
  expect(split_token("#t=abc&/timeline?t=1~2")).toEqual({ token: "abc", rest: "/timeline?t=1~2" });
  expect(split_token("#t=abc")).toEqual({ token: "abc", rest: "" });
  expect(split_token("#/timeline?t=1~2")).toEqual({ token: "", rest: "#/timeline?t=1~2" });
  expect(state_to_fragment(fragment_to_state("/overview"))).not.toContain("t=");
});
