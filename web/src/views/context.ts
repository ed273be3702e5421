// What every view works with.

import type { Source } from "../api/client";
import type { Profiles } from "../api/profiles";
import type { Place, Session } from "../api/types";
import type { Store } from "../state/store";

// The part of the state that belongs to one view alone.
export const kFresh = { sort: "", find: "", tab: "", pick: "", group: "", options: "" };

export interface Command {
  title: string;
  group: string;
  keys?: string;
  run(): void;
}

export interface Context {
  readonly source: Source;
  readonly session: Session;
  readonly profiles: Profiles;
  readonly store: Store;
  // Shows a slice or a time on the timeline.
  go_to_slice(place: Place): void;
  go_to_time(p: number, begin: number, end: number): void;
  toast(text: string): void;
}

export interface View {
  readonly element: HTMLElement;
  // The view lays itself out to the height of the window.
  readonly fills?: boolean;
  commands?(): Command[];
  // Called when it is shown again after another view.
  shown?(): void;
  destroy(): void;
}

export interface ViewKind {
  name: string;
  title: string;
  // A report cannot compute anything new.
  needs_server?: boolean;
  make(context: Context): View;
}
