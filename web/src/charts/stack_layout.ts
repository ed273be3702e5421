// Trees of calls as rectangles: left heavy, in time order, and both sides of one function. Pure.

import type { StackData, StackNode } from "./icicle";

export interface TreeNode {
  name: string;
  parent: number | null; // Place in the list, before this one.
  count: number;
  total: number;
  self: number;
  lane?: number | null;
  event?: number | null;
  begin?: number;
}

class NameTable {
  readonly names: string[] = [];
  private readonly places = new Map<string, number>();

  place(name: string): number {
    let place = this.places.get(name);
    if (place === undefined) {
      place = this.names.length;
      this.names.push(name);
      this.places.set(name, place);
    }
    return place;
  }
}

function children_of(nodes: readonly TreeNode[]): { tops: number[]; children: number[][] } {
  const children: number[][] = nodes.map(() => []);
  const tops: number[] = [];
  nodes.forEach((node, i) => (node.parent === null ? tops : children[node.parent]!).push(i));
  return { tops, children };
}

// Children stand side by side below their parent, from its left edge on.
export function lay_out(nodes: readonly TreeNode[], order: "heavy" | "time"): StackData {
  const { tops, children } = children_of(nodes);
  const table = new NameTable();
  const placed: StackNode[] = [];
  const sorted = (list: readonly number[]) =>
    [...list].sort((a, b) =>
      order === "heavy"
        ? nodes[b]!.total - nodes[a]!.total
        : (nodes[a]!.begin ?? a) - (nodes[b]!.begin ?? b),
    );
  const put = (list: readonly number[], begin: number, depth: number): number => {
    let at = begin;
    for (const i of sorted(list)) {
      const node = nodes[i]!;
      placed.push([
        table.place(node.name),
        depth,
        at,
        node.total,
        node.self,
        node.count,
        node.lane ?? null,
        node.event ?? null,
      ]);
      put(children[i]!, at, depth + 1);
      at += node.total;
    }
    return at;
  };
  const total = put(tops, 0, 0);
  return { total, names: table.names, nodes: placed };
}

export interface FunctionSum {
  name: string;
  count: number;
  total: number; // Recursion counts once.
  self: number;
}

export function functions_of(nodes: readonly TreeNode[]): FunctionSum[] {
  const sums = new Map<string, FunctionSum>();
  nodes.forEach((node, i) => {
    let sum = sums.get(node.name);
    if (!sum) sums.set(node.name, (sum = { name: node.name, count: 0, total: 0, self: 0 }));
    sum.count += node.count;
    sum.self += node.self;
    if (!has_ancestor(nodes, i, node.name)) sum.total += node.total;
  });
  return [...sums.values()].sort((a, b) => b.self - a.self);
}

function has_ancestor(nodes: readonly TreeNode[], i: number, name: string): boolean {
  for (let up = nodes[i]!.parent; up !== null; up = nodes[up]!.parent) {
    if (nodes[up]!.name === name) return true;
  }
  return false;
}

// A tree that grows by paths; equal names below one node are one.
class Merged {
  readonly nodes: TreeNode[] = [];
  private readonly places = new Map<string, number>();

  add(parent: number | null, name: string, count: number, total: number, self: number): number {
    const key = `${parent ?? -1}\n${name}`;
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.nodes.length;
      this.nodes.push({ name, parent, count: 0, total: 0, self: 0 });
      this.places.set(key, place);
    }
    const node = this.nodes[place]!;
    node.count += count;
    node.total += total;
    node.self += self;
    return place;
  }
}

// Who calls `name`, nearest first, and what it calls, each summed over all its places.
export function sandwich(
  nodes: readonly TreeNode[],
  name: string,
): { callers: TreeNode[]; callees: TreeNode[] } {
  const { children } = children_of(nodes);
  const callers = new Merged();
  const callees = new Merged();
  const copy = (i: number, parent: number | null) => {
    const node = nodes[i]!;
    const place = callees.add(parent, node.name, node.count, node.total, node.self);
    for (const child of children[i]!) copy(child, place);
  };
  nodes.forEach((node, i) => {
    if (node.name !== name || has_ancestor(nodes, i, name)) return;
    copy(i, null);
    let place = callers.add(null, name, node.count, node.total, node.self);
    for (let up = node.parent; up !== null; up = nodes[up]!.parent) {
      place = callers.add(place, nodes[up]!.name, node.count, node.total, 0);
    }
  });
  return { callers: callers.nodes, callees: callees.nodes };
}
