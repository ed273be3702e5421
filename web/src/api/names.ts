// Names of slices by id, fetched when first seen: replies about lanes carry ids only.

import type { Source } from "./client";

export interface NameEntry {
  name: string;
  category: string;
}

export class Names {
  private readonly entries: NameEntry[] = [];
  private asked: Promise<void> | null = null;

  constructor(
    private readonly source: Source,
    private readonly p: number,
  ) {}

  get(id: number): NameEntry | undefined {
    return this.entries[id];
  }

  get size(): number {
    return this.entries.length;
  }

  // Resolves when all names up to `id` are there, or the server has no more.
  async ensure(id: number): Promise<void> {
    while (id >= this.entries.length) {
      const before = this.entries.length;
      this.asked ??= this.fetch_more().finally(() => (this.asked = null));
      await this.asked;
      if (this.entries.length === before) return;
    }
  }

  private async fetch_more(): Promise<void> {
    const from = this.entries.length;
    const reply = (await this.source.json("names", { p: this.p, from })) as {
      from: number;
      names: NameEntry[];
    };
    if (reply.from !== from) return;
    for (const entry of reply.names) this.entries.push(entry);
  }
}
