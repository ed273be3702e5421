// What all ranks together tell.

import { expect, test } from "@playwright/test";
import {
  latecomers,
  type AlignedCollective,
  type AlignedRank,
} from "../../../web/src/views/cluster_data";

// A collective to which rank `late` came `spread` ns after the other of two.
function meeting(type: string, number: number, late: number, spread: number): AlignedCollective {
  const at = (rank: number, begin: number): AlignedRank => ({
    p: rank,
    rank,
    name: type,
    begin,
    end: spread + 10,
    at: begin,
    length: spread + 10 - begin,
  });
  const last = at(late, spread);
  const ranks = [at(late + 1, 0), last];
  return { collective: { group: "g", type, number, ranks }, ranks, spread, last };
}

test("who comes last to collectives is told by them, not by the sends of a pipeline", () => {
  const reduce = [meeting("hcom_allReduce_", 0, 3, 40), meeting("hcom_allReduce_", 1, 3, 60)];
  const sends = [meeting("hcom_send_", 0, 5, 900), meeting("hcom_receive_", 1, 6, 900)];
  const late = latecomers([...sends, ...reduce]);
  expect(late.map((each) => [each.rank, each.times, each.waited])).toEqual([[3, 2, 100]]);
  expect(late[0]!.longest.collective.number).toBe(1);
});

test("sends and receives tell who comes last where there is nothing else", () => {
  const late = latecomers([meeting("hcom_send_", 0, 5, 900), meeting("hcom_receive_", 1, 6, 30)]);
  expect(late.map((each) => each.rank)).toEqual([5, 6]);
});
