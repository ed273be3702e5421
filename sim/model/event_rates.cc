#include "sim/model/event_rates.h"

namespace npuprof::sim {
namespace {

// How much data one count of an event stands for, so that readers' bandwidth formulas give back the
// bytes that went in.
constexpr double kMainMemoryBytes = 8;
constexpr double kL2Bytes = 256;
constexpr double kL1WriteBytes = 256;
constexpr double kUnifiedBufferMoveBytes = 128;
constexpr double kFixpipeBytes = 128;
constexpr double kL0cReadBytes = 256;
constexpr double kCacheLineBytes = 128;

// Instruction fetches per cycle, and accesses of the units to their buffers per busy cycle.
// Assumptions; all are below what the hardware could do.
constexpr double kFetchesPerCycle = 0.025;
constexpr double kL1ReadsPerMte1Cycle = 0.5;
constexpr double kL0WritesPerMacCycle = 0.25;
constexpr double kUbReadsPerVectorCycle = 1.0;  // 128 bytes each.
constexpr double kUbWritesPerVectorCycle = 0.5;
constexpr double kScalarUbAccessesPerCycle = 0.02;

bool is_integer(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUint8 || type == ElementType::kInt16 ||
         type == ElementType::kInt32 || type == ElementType::kInt64 || type == ElementType::kBool;
}
bool is_byte_integer(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUint8;
}
bool is_half(ElementType type) {
  return type == ElementType::kFloat16 || type == ElementType::kBfloat16;
}

// Busy cycles of the cube by kind of element, such that operations = factor * cycles.
double half_cube_cycles(const SideLoad& load) {
  return is_byte_integer(load.type_of_math) ? 0 : load.cube_flops / 8192;
}
double byte_cube_cycles(const SideLoad& load) {
  return is_byte_integer(load.type_of_math) ? load.cube_flops / 16384 : 0;
}

double cache_hit_share(double total_bytes, double missed_bytes) {
  return total_bytes > 0 ? 1.0 - missed_bytes / total_bytes : 0.0;
}
double read_lines(const SideLoad& load) { return load.read_bytes / kCacheLineBytes; }
double write_lines(const SideLoad& load) { return load.written_bytes / kCacheLineBytes; }
double read_hits(const SideLoad& load) {
  return read_lines(load) * cache_hit_share(load.read_bytes, load.hbm_read_bytes);
}
double write_hits(const SideLoad& load) {
  return write_lines(load) * cache_hit_share(load.written_bytes, load.hbm_written_bytes);
}

// Share of the vector unit's busy time per kind of element.
struct VectorMix {
  double fp32 = 0;
  double half_full = 0;  // All 128 lanes.
  double half_part = 0;  // 64 lanes.
  double int32 = 0;
  double other = 0.1;
};
VectorMix vector_mix(ElementType type) {
  VectorMix mix;
  if (is_half(type)) {
    // Half of the work on bf16 and fp16 is done after widening to fp32.
    mix.half_full = 0.4;
    mix.half_part = 0.1;
    mix.fp32 = 0.35;
  } else if (is_integer(type)) {
    mix.int32 = 0.85;
  } else {
    mix.fp32 = 0.85;
  }
  return mix;
}

EventRate per_cycle(double rate) { return {.per_cycle = rate, .fixed = 0}; }
EventRate fixed(double count) { return {.per_cycle = 0, .fixed = count}; }

// Bytes that go to the unified buffer (vector core) or to L1 (cube core).
double to_buffer(const SideLoad& load, CoreSide side, double bytes) {
  return load.side == side ? bytes : 0.0;
}

EventRate pipe_event_v4(std::uint16_t event, const SideLoad& load) {
  const UnitRatios& ratios = load.ratios;
  const bool bytes = is_byte_integer(load.type_of_math);
  switch (event) {
    case 0x8:
    case 0x12c:
      return per_cycle(ratios.vector);
    case 0xa:
      return per_cycle(ratios.mac);
    case 0x416:
      return per_cycle(bytes ? 0 : ratios.mac);
    case 0x417:
      return per_cycle(bytes ? ratios.mac : 0);
    case 0x9:
      return per_cycle(ratios.scalar);
    case 0xb:
    case 0x302:
      return per_cycle(ratios.mte1);
    case 0xc:
      return per_cycle(ratios.mte2);
    case 0xd:
      return per_cycle(ratios.mte3);
    case 0x303:
      return per_cycle(ratios.fixpipe);
    case 0x54:
      return per_cycle(kFetchesPerCycle);
    case 0x55:
      return per_cycle(kFetchesPerCycle * ratios.icache_miss_rate);
    default:
      return {};
  }
}

EventRate arithmetic_event_v4(std::uint16_t event, const SideLoad& load) {
  const VectorMix mix = vector_mix(load.type_of_math);
  const double vector = load.ratios.vector;
  switch (event) {
    case 0x49:
      return fixed(half_cube_cycles(load));
    case 0x4a:
      return fixed(byte_cube_cycles(load));
    case 0x4b:
      return per_cycle(vector * mix.fp32);
    case 0x4c:
      return per_cycle(vector * mix.half_full);
    case 0x4d:
      return per_cycle(vector * mix.half_part);
    case 0x4e:
      return per_cycle(vector * mix.int32);
    case 0x4f:
      return per_cycle(vector * mix.other);
    // Conflicts over banks and resources of the unified buffer.
    case 0x64:
      return per_cycle(vector * 0.04);
    case 0x65:
      return per_cycle(vector * 0.02);
    case 0x66:
      return per_cycle(vector * 0.06);
    default:
      return {};
  }
}

EventRate memory_event_v4(std::uint16_t event, const SideLoad& load) {
  const UnitRatios& ratios = load.ratios;
  const double read_to_l1 = to_buffer(load, CoreSide::kCube, load.read_bytes);
  const double read_to_ub = to_buffer(load, CoreSide::kVector, load.read_bytes);
  const double written_from_l0c = to_buffer(load, CoreSide::kCube, load.written_bytes);
  const double written_from_ub = to_buffer(load, CoreSide::kVector, load.written_bytes);
  switch (event) {
    case 0x15:
      return {ratios.vector * kUbReadsPerVectorCycle, written_from_ub / kUnifiedBufferMoveBytes};
    case 0x16:
      return {ratios.vector * kUbWritesPerVectorCycle, read_to_ub / kUnifiedBufferMoveBytes};
    case 0x31:
      return per_cycle(ratios.mte1 * kL1ReadsPerMte1Cycle);
    case 0x32:
      return fixed(read_to_l1 / kL1WriteBytes);
    case 0xf:
      return fixed(load.read_bytes / kL2Bytes);
    case 0x10:
      return fixed(load.written_bytes / kL2Bytes);
    case 0x12:
      return fixed(load.hbm_read_bytes / kMainMemoryBytes);
    case 0x13:
      return fixed(load.hbm_written_bytes / kMainMemoryBytes);
    // The cube reads one line of each input and updates its accumulators in every busy cycle.
    case 0x1b:
    case 0x21:
    case 0x28:
    case 0x2a:
      return per_cycle(ratios.mac);
    case 0x1c:
    case 0x22:
      return per_cycle(ratios.mac * kL0WritesPerMacCycle);
    case 0x27:
      return fixed(written_from_l0c / kL0cReadBytes);
    case 0x37:
    case 0x38:
      return per_cycle(load.side == CoreSide::kVector ? ratios.scalar * kScalarUbAccessesPerCycle
                                                      : 0);
    case 0x3d:
      return fixed(written_from_ub / kUnifiedBufferMoveBytes);
    case 0x3e:
      return fixed(read_to_ub / kUnifiedBufferMoveBytes);
    case 0x43:  // 32 bytes each.
      return per_cycle(ratios.vector * kUbReadsPerVectorCycle * 4);
    case 0x44:
      return per_cycle(ratios.vector * kUbWritesPerVectorCycle * 4);
    case 0x20c:
      return fixed(written_from_l0c / kFixpipeBytes);
    case 0x50c:
      return fixed(load.hbm_written_bytes / kCacheLineBytes);
    case 0x50d:
    case 0x50e:
      return fixed(load.hbm_read_bytes / kCacheLineBytes / 2);
    default:
      return {};
  }
}

EventRate cache_event_v4(std::uint16_t event, const SideLoad& load) {
  switch (event) {
    case 0x500:
      return fixed(write_hits(load));
    case 0x502:
      return fixed(write_lines(load) - write_hits(load));
    case 0x504:
    case 0x508:  // The two read ports share the load.
      return fixed(read_hits(load) / 2);
    case 0x506:
    case 0x50a:
      return fixed((read_lines(load) - read_hits(load)) / 2);
    default:
      return {};
  }
}

EventRate event_rate_v4(std::uint16_t event, const SideLoad& load) {
  // Each event belongs to one of the tables; the others answer zero.
  EventRate sum;
  for (const auto table : {pipe_event_v4, arithmetic_event_v4, memory_event_v4, cache_event_v4}) {
    const EventRate rate = table(event, load);
    sum.per_cycle += rate.per_cycle;
    sum.fixed += rate.fixed;
  }
  return sum;
}

// Chip 15 numbers its events anew. `v4_event` is the event of the older chips that means the same.
std::uint16_t v4_event_of(std::uint16_t event) {
  static constexpr struct {
    std::uint16_t v6;
    std::uint16_t v4;
  } kSame[] = {
      {0x501, 0x8},   {0x301, 0xa},  {0x1, 0x9},    {0x701, 0xb},  {0x202, 0xc},  {0x203, 0xd},
      {0x714, 0x303}, {0x34, 0x54},  {0x35, 0x55},  {0x323, 0x49}, {0x324, 0x4a}, {0x422, 0x12},
      {0x423, 0x13},  {0x400, 0x12}, {0x401, 0x13}, {0x707, 0x31}, {0x709, 0x32}, {0x304, 0x1b},
      {0x703, 0x1c},  {0x306, 0x21}, {0x705, 0x22}, {0x712, 0x27}, {0x30a, 0x28}, {0x308, 0x2a},
      {0x3, 0x37},    {0x5, 0x38},   {0x204, 0x3d}, {0x206, 0x3e}, {0x540, 0x64}, {0x556, 0x65},
      {0x528, 0x66},  {0x502, 0x8},
  };
  for (const auto& same : kSame) {
    if (same.v6 == event) return same.v4;
  }
  return 0;
}

EventRate event_rate_v6(std::uint16_t event, const SideLoad& load) {
  const double vector = load.ratios.vector;
  switch (event) {
    // Unified buffer: traffic of the vector unit and of the movers is counted apart.
    case 0x571:
      return per_cycle(vector * kUbReadsPerVectorCycle);
    case 0x572:
      return per_cycle(vector * kUbWritesPerVectorCycle);
    case 0x56f:
      return fixed(to_buffer(load, CoreSide::kVector, load.written_bytes) /
                   kUnifiedBufferMoveBytes);
    case 0x570:
      return fixed(to_buffer(load, CoreSide::kVector, load.read_bytes) / kUnifiedBufferMoveBytes);
    case 0x70c:  // Fixpipe straight to the unified buffer: not used by these kernels.
      return {};
    case 0x424:
      return fixed(read_hits(load));
    case 0x425:
      return fixed(read_lines(load) - read_hits(load));
    case 0x426:
      return fixed((read_lines(load) - read_hits(load)) * 0.5);
    case 0x42a:
      return fixed(write_hits(load));
    case 0x42b:
      return fixed(write_lines(load) - write_hits(load));
    case 0x42c:
      return fixed((write_lines(load) - write_hits(load)) * 0.5);
    default:
      return event_rate_v4(v4_event_of(event), load);
  }
}

}  // namespace

EventRate event_rate(const ChipSpec& chip, std::uint16_t event, const SideLoad& load) {
  return chip.is_v6() ? event_rate_v6(event, load) : event_rate_v4(event, load);
}

}  // namespace npuprof::sim
