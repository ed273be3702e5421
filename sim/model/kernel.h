#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/chip.h"
#include "sim/model/element_type.h"

namespace npuprof::sim {

// Where a kernel runs. MIX kernels run on both kinds of core, the named one being the main one.
enum class KernelCore : std::uint8_t {
  kAic,
  kAiv,
  kMixAic,
  kMixAiv,
  kAicpu,
  kDsa,   // The random number engine.
  kDvpp,  // Image and video units.
};

constexpr bool is_mix(KernelCore kind) {
  return kind == KernelCore::kMixAic || kind == KernelCore::kMixAiv;
}
// Kinds that have performance counters of AI cores.
constexpr bool has_core_counters(KernelCore kind) {
  return kind == KernelCore::kAic || kind == KernelCore::kAiv || is_mix(kind);
}

struct TensorDesc {
  bool is_output = false;
  ElementType type = ElementType::kBfloat16;
  TensorFormat format = TensorFormat::kNd;
  std::vector<std::uint32_t> shape;  // At most 8 dimensions reach the records.
};

// One kernel of a model: what it computes and moves, and what is reported about it.
struct KernelDesc {
  std::string name;        // "aclnnMm_MatMulV3Common_MatMulV3"
  std::string type;        // "MatMulV3"
  std::string attributes;  // Text of the operator's attributes; empty = none.
  KernelCore kind = KernelCore::kAiv;
  std::uint32_t block_count = 1;
  std::uint32_t mix_ratio = 0;  // MIX: blocks on the other kind of core per block.
  ElementType type_of_math = ElementType::kBfloat16;
  bool hf32 = false;
  double cube_flops = 0;         // A multiply-add counts two.
  double vector_operations = 0;  // Element operations.
  double bytes_read = 0;         // From memory, before caches.
  double bytes_written = 0;
  double l2_share = 0.3;     // Part of the traffic that hits in L2.
  double efficiency = 0.85;  // Of the slower of computing and moving, against its peak.
  std::vector<TensorDesc> tensors;
};

// Share of the time in which each unit of a core is busy, 0 to 1.
struct UnitRatios {
  double mac = 0;
  double vector = 0;
  double scalar = 0;
  double mte1 = 0;  // L1 to the cube's input buffers.
  double mte2 = 0;  // Memory to L1 or to the unified buffer.
  double mte3 = 0;  // Unified buffer to memory.
  double fixpipe = 0;
  double icache_miss_rate = 0;  // Misses per request, not a share of time.
};

struct KernelEstimate {
  double compute_ns = 0;  // At peak rate; likewise memory_ns.
  double memory_ns = 0;
  double busy_ns = 0;  // Cores at work: max(compute, memory) / efficiency.
  double overhead_ns = 0;
  double duration_ns() const { return busy_ns + overhead_ns; }

  // The kind of core that is not used has zeros.
  UnitRatios cube_core;
  UnitRatios vector_core;
  // Traffic between the memory and all cores, in bytes.
  double hbm_read_bytes = 0;
  double hbm_write_bytes = 0;
  double l2_read_bytes = 0;
  double l2_write_bytes = 0;
};

// Times `kernel` on `chip` with AI cores clocked at `mhz`.
KernelEstimate estimate(const ChipSpec& chip, double mhz, const KernelDesc& kernel);

// Blocks run in waves of at most one per core.
constexpr std::uint32_t wave_count(std::uint32_t blocks, std::uint32_t cores) {
  return blocks == 0 || cores == 0 ? 1 : (blocks + cores - 1) / cores;
}

}  // namespace npuprof::sim
