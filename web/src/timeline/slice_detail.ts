// The reply of /api/slice, and where it was asked for.

export interface FlowEnd {
  kind: string;
  direction: "in" | "out";
  p: number;
  lane: number;
  event: number;
  name: string;
  row?: number;
  begin: number;
  end?: number;
}

export interface SliceRef {
  p?: number;
  lane: number;
  event: number;
  name?: string;
  begin?: number;
  end?: number;
}

export interface SliceArgument {
  key: string;
  value?: unknown;
  lines?: string[];
}

// The way from a module to an operator to its kernels.
export interface SlicePath {
  module: string;
  frames: SliceRef[]; // Of modules around it, outermost first.
  operator: SliceRef | null;
  kernels: (SliceRef & { duration: number })[]; // The first of those it launched.
  kernel_count: number;
  kernel_ns: number;
  mfu: number | null;
  flops: number | null;
}

// Why a device is idle for a while, and the slice that is to blame.
export interface IdleCause {
  name: string;
  sentence?: string;
  detail?: string;
  of_host?: boolean;
  culprit?: SliceRef | null;
  task?: SliceRef | null; // What the device did next.
}

// Slices of a reply are of the profile that was asked for, unless they say otherwise.
export function complete_detail(
  reply: SliceDetail,
  p: number,
  lane: number,
  event: number,
): SliceDetail {
  const flows = (reply.flows ?? []).map((flow) => ({ ...flow, p: flow.p ?? p }));
  return { ...reply, flows, p, lane_id: lane, event };
}

export interface SliceDetail {
  p: number;
  lane_id: number;
  event: number;
  name: string;
  lane: string | number;
  row: number;
  begin: number;
  end: number;
  duration: number;
  self?: number;
  count_of_name?: number;
  category: string;
  arguments: SliceArgument[];
  begin_wall_ns?: string;
  stack?: string[];
  module?: string;
  flows?: FlowEnd[];
  cause?: IdleCause | null;
  path?: SlicePath;
  kernel?: SliceArgument[]; // Type, core, shapes of a kernel.
  parent?: SliceRef | null;
  previous?: SliceRef | null;
  next?: SliceRef | null;
  same_on_other_ranks?: (SliceRef & { p: number })[];
  unfinished?: boolean;
  doubtful?: boolean;
}
