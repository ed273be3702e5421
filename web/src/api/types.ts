// Replies of the server. Times are ns from the zero of their profile.

export interface ErrorReply {
  error: { code: string; message: string; needs?: string; collect?: string };
}

export interface ProfileEntry {
  id: number;
  rank: number | null;
  label: string;
  kind: string;
  state: "unread" | "loading" | "ready" | "failed";
  error?: string;
}

export interface ModeOption {
  name: string;
  help: string;
}

export interface ModeEntry {
  name: string;
  question: string;
  needs: string;
  collect: string;
  options: ModeOption[];
}

export interface Session {
  version: string;
  title: string;
  simulated: boolean;
  banner?: string;
  profiles: ProfileEntry[];
  modes: ModeEntry[];
  idle_causes?: { name: string; category: string }[];
}

export interface Step {
  number: number;
  begin: number;
  end: number;
}

export interface Loss {
  text: string;
  lane?: number;
}

export interface Profile {
  id: number;
  state: ProfileEntry["state"];
  progress?: { share: number | null; what: string };
  error?: string;
  zero_ns: string;
  begin: number;
  end: number;
  steps: Step[];
  devices: unknown[];
  losses: Loss[];
  notes: string[];
  simulated: boolean;
  device_kind?: "NPU" | "GPU";
}

export interface Lane {
  id: number;
  name: string;
  kind: "slices" | "counter" | "idle";
  rows: number;
  count: number;
  begin: number;
  end: number;
  category: string;
  hatched?: string;
  idle_lane?: number; // Of a stream: the lane that tells why its device was idle.
  series?: string[];
  unit?: string;
  min?: number;
  max?: number;
  stream?: number;
}

export interface LaneGroup {
  id: number;
  name: string;
  label: string;
  sort: number;
  device?: number;
  is_host: boolean;
  lanes: Lane[];
}

export type ColumnKind = "text" | "integer" | "duration" | "moment" | "bytes" | "real" | "share";
export type Cell = string | number | null;
export type Place = [p: number, lane: number, event: number];

export interface Column {
  key: string;
  title: string;
  kind: ColumnKind;
  unit?: string;
}

export interface Table {
  name: string;
  title: string;
  notes: string[];
  usual_rows: number;
  columns: Column[];
  rows: Cell[][];
  total_rows: number;
  all_rows?: number; // Where not all of them were kept.
  places?: (Place | null)[];
}

export interface Answer {
  mode: string;
  sentences: string[];
  tables: Table[];
  all_rows?: number; // Of the only table, where not all of them were kept.
}
