// Decodes the binary reply of /api/slices: arrays over its buffer, nothing is copied but where
// the buffer is not aligned.

const kMagic = 0x4c50554e; // "NUPL"
const kVersion = 1;

export const kUnfinished = 1;
export const kInstant = 2;
export const kBucket = 4;
export const kDoubtful = 8;

export interface SliceLane {
  lane: number;
  kind: "slices";
  n: number;
  start: Float64Array;
  duration: Float64Array;
  name: Uint32Array;
  event: Uint32Array;
  count: Uint32Array;
  row: Uint16Array;
  busy: Uint8Array;
  flags: Uint8Array;
}

export interface CounterLane {
  lane: number;
  kind: "counter";
  n: number;
  series: number;
  time: Float64Array;
  min: Float32Array;
  max: Float32Array;
  last: Float32Array;
}

export type LaneData = SliceLane | CounterLane;

export interface SlicesReply {
  level: number;
  lanes: LaneData[];
}

class Reader {
  private at = 0;
  constructor(private readonly buffer: ArrayBuffer) {}

  u32(): number {
    this.need(4);
    const value = new DataView(this.buffer).getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  array<A>(
    make: { new (b: ArrayBuffer, at: number, n: number): A; BYTES_PER_ELEMENT: number },
    n: number,
  ): A {
    const size = n * make.BYTES_PER_ELEMENT;
    this.need(size);
    const values = new make(this.buffer, this.at, n);
    this.at += Math.ceil(size / 8) * 8;
    return values;
  }

  private need(size: number): void {
    if (this.at + size > this.buffer.byteLength)
      throw new Error("The reply of the server ends too early.");
  }
}

function read_slices(reader: Reader, lane: number, n: number): SliceLane {
  return {
    lane,
    kind: "slices",
    n,
    start: reader.array(Float64Array, n),
    duration: reader.array(Float64Array, n),
    name: reader.array(Uint32Array, n),
    event: reader.array(Uint32Array, n),
    count: reader.array(Uint32Array, n),
    row: reader.array(Uint16Array, n),
    busy: reader.array(Uint8Array, n),
    flags: reader.array(Uint8Array, n),
  };
}

function read_counter(reader: Reader, lane: number, n: number, series: number): CounterLane {
  return {
    lane,
    kind: "counter",
    n,
    series,
    time: reader.array(Float64Array, n),
    min: reader.array(Float32Array, n * series),
    max: reader.array(Float32Array, n * series),
    last: reader.array(Float32Array, n * series),
  };
}

// `series_of` tells how many curves a lane of samples has.
export function decode_slices(
  buffer: ArrayBuffer,
  series_of: (lane: number) => number,
): SlicesReply {
  const reader = new Reader(buffer);
  if (reader.u32() !== kMagic || reader.u32() !== kVersion) {
    throw new Error("The server speaks another version: reload the page.");
  }
  const lanes: LaneData[] = [];
  const count = reader.u32();
  const level = reader.u32();
  for (let i = 0; i < count; i++) {
    const lane = reader.u32();
    const kind = reader.u32();
    const n = reader.u32();
    reader.u32(); // Reserved.
    lanes.push(
      kind === 0 ? read_slices(reader, lane, n) : read_counter(reader, lane, n, series_of(lane)),
    );
  }
  return { level, lanes };
}

// Place of the last element with start <= time, or -1; elements of one row are in order.
export function last_not_after(times: Float64Array, time: number, n = times.length): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
