// Profiles of the session: loaded when they are first looked at, each at most once.

import { Names } from "./names";
import type { Source } from "./client";
import type { LaneGroup, Profile, ProfileEntry, Session } from "./types";

export type Progress = (profile: Profile) => void;

const kPause = 120; // ms between questions about progress.

export class Profiles {
  private readonly loads = new Map<number, Promise<Profile>>();
  private readonly lane_loads = new Map<number, Promise<LaneGroup[]>>();
  private readonly name_tables = new Map<number, Names>();
  private readonly listeners = new Set<Progress>();

  constructor(
    readonly source: Source,
    readonly session: Session,
  ) {}

  entry(p: number): ProfileEntry | undefined {
    return this.session.profiles.find((entry) => entry.id === p);
  }

  label(p: number): string {
    const entry = this.entry(p);
    if (!entry) return `profile ${p}`;
    return entry.rank === null || entry.rank === undefined || entry.rank < 0
      ? entry.label
      : `Rank ${entry.rank}`;
  }

  on_progress(listener: Progress): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  load(p: number): Promise<Profile> {
    let load = this.loads.get(p);
    if (!load) {
      load = this.wait_for(p);
      this.loads.set(p, load);
      load.catch(() => this.loads.delete(p));
    }
    return load;
  }

  lanes(p: number): Promise<LaneGroup[]> {
    let load = this.lane_loads.get(p);
    if (!load) {
      load = this.load(p)
        .then(() => this.source.json("lanes", { p }))
        .then((reply) => (reply as { groups: LaneGroup[] }).groups);
      this.lane_loads.set(p, load);
      load.catch(() => this.lane_loads.delete(p));
    }
    return load;
  }

  names(p: number): Names {
    let names = this.name_tables.get(p);
    if (!names) {
      names = new Names(this.source, p);
      this.name_tables.set(p, names);
    }
    return names;
  }

  private async wait_for(p: number): Promise<Profile> {
    for (;;) {
      const profile = (await this.source.json("profile", { p })) as Profile;
      const entry = this.entry(p);
      if (entry) entry.state = profile.state;
      for (const listener of this.listeners) listener(profile);
      if (profile.state === "ready") return profile;
      if (profile.state === "failed")
        throw new Error(profile.error ?? "This profile cannot be read.");
      await new Promise((resolve) => setTimeout(resolve, kPause));
    }
  }
}
