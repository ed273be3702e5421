#include "sim/model/kernel.h"

#include <algorithm>

namespace npuprof::sim {
namespace {

// What a core does besides the work itself: reading arguments, computing addresses, fetching code.
// The constants make small kernels scalar-bound with many instruction cache misses, as traces show.
constexpr double kScalarShare = 0.06;
constexpr double kScalarSetupNs = 1300;
constexpr double kIcacheSettledMissRate = 0.002;
constexpr double kIcacheSetupMissRate = 0.2;
constexpr double kIcacheSetupNs = 2500;
constexpr double kMostBusy = 0.98;

double ratio(double part_ns, double whole_ns) {
  return whole_ns > 0 ? std::clamp(part_ns / whole_ns, 0.0, kMostBusy) : 0.0;
}

struct CoreUse {
  std::uint32_t blocks = 0;
  std::uint32_t cores = 0;

  std::uint32_t active() const { return std::min(blocks, cores); }
  // The part of the chip's peak that this many blocks can reach; the last wave is rarely full.
  double share() const {
    if (cores == 0 || blocks == 0) return 0;
    return static_cast<double>(blocks) / (static_cast<double>(wave_count(blocks, cores)) * cores);
  }
};

struct CoresUsed {
  CoreUse cube;
  CoreUse vector;
};

CoresUsed cores_of(const ChipSpec& chip, const KernelDesc& kernel) {
  const std::uint32_t blocks = std::max(kernel.block_count, 1u);
  const std::uint32_t mix_blocks = blocks * kernel.mix_ratio;
  CoresUsed used{{0, chip.ai_core_count}, {0, chip.vector_core_count}};
  switch (kernel.kind) {
    case KernelCore::kAic:
      used.cube.blocks = blocks;
      break;
    case KernelCore::kAiv:
      used.vector.blocks = blocks;
      break;
    case KernelCore::kMixAic:
      used.cube.blocks = blocks;
      used.vector.blocks = mix_blocks;
      break;
    case KernelCore::kMixAiv:
      used.vector.blocks = blocks;
      used.cube.blocks = mix_blocks;
      break;
    default:
      break;
  }
  return used;
}

// Time to move the kernel's data: through HBM what misses in L2, and no faster than its cores draw.
double memory_time_ns(const ChipSpec& chip, const KernelDesc& kernel, double bytes,
                      std::uint32_t active_cores) {
  const double miss_share = 1.0 - std::clamp(kernel.l2_share, 0.0, 1.0);
  const double hbm_ns = bytes * miss_share / chip.hbm_gb_per_s;  // bytes / (GB/s) = ns.
  const double l2_ns = bytes / chip.l2_gb_per_s;
  const double cores_ns = bytes / (chip.l2_gb_per_s_per_core * std::max(active_cores, 1u));
  return std::max({hbm_ns, l2_ns, cores_ns});
}

UnitRatios common_ratios(double busy_ns) {
  UnitRatios ratios;
  ratios.scalar = ratio(kScalarShare * busy_ns + kScalarSetupNs, busy_ns);
  ratios.icache_miss_rate =
      kIcacheSettledMissRate + kIcacheSetupMissRate * kIcacheSetupNs / (kIcacheSetupNs + busy_ns);
  return ratios;
}

KernelEstimate estimate_off_core(const ChipSpec& chip, const KernelDesc& kernel) {
  KernelEstimate result;
  const double bytes = kernel.bytes_read + kernel.bytes_written;
  const bool on_aicpu = kernel.kind == KernelCore::kAicpu;
  if (on_aicpu) {
    result.compute_ns =
        (kernel.vector_operations + kernel.cube_flops) / chip.aicpu_giga_operations_per_s;
    result.memory_ns = bytes / chip.aicpu_gb_per_s;
  } else {
    // Fixed-function engines stream their data at an eighth of the memory bandwidth (assumption).
    result.memory_ns = bytes / (chip.hbm_gb_per_s / 8);
  }
  result.busy_ns =
      std::max(result.compute_ns, result.memory_ns) / std::max(kernel.efficiency, 0.01);
  result.overhead_ns =
      static_cast<double>(on_aicpu ? chip.aicpu_overhead_ns : chip.kernel_overhead_ns);
  result.hbm_read_bytes = kernel.bytes_read;
  result.hbm_write_bytes = kernel.bytes_written;
  return result;
}

}  // namespace

KernelEstimate estimate(const ChipSpec& chip, double mhz, const KernelDesc& kernel) {
  if (!has_core_counters(kernel.kind)) return estimate_off_core(chip, kernel);

  const CoresUsed used = cores_of(chip, kernel);
  const auto compute_time_ns = [](double operations, double peak_per_s, double share) {
    return operations > 0 && share > 0 ? operations / (peak_per_s * share) * 1e9 : 0.0;
  };
  const double cube_ns = compute_time_ns(
      kernel.cube_flops, chip.peak_cube_flops(kernel.type_of_math, mhz), used.cube.share());
  const double vector_ns =
      compute_time_ns(kernel.vector_operations,
                      chip.peak_vector_operations(kernel.type_of_math, mhz), used.vector.share());
  const std::uint32_t active = used.cube.active() + used.vector.active();
  const double read_ns = memory_time_ns(chip, kernel, kernel.bytes_read, active);
  const double write_ns = memory_time_ns(chip, kernel, kernel.bytes_written, active);

  KernelEstimate result;
  result.compute_ns = std::max(cube_ns, vector_ns);
  result.memory_ns = read_ns + write_ns;
  // The cores are never busy for less than it takes to read the arguments.
  result.busy_ns = kScalarSetupNs + std::max(result.compute_ns, result.memory_ns) /
                                        std::clamp(kernel.efficiency, 0.01, 1.0);
  result.overhead_ns = static_cast<double>(chip.kernel_overhead_ns +
                                           (is_mix(kernel.kind) ? chip.mix_overhead_ns : 0));
  const double miss_share = 1.0 - std::clamp(kernel.l2_share, 0.0, 1.0);
  result.l2_read_bytes = kernel.bytes_read;
  result.l2_write_bytes = kernel.bytes_written;
  result.hbm_read_bytes = kernel.bytes_read * miss_share;
  result.hbm_write_bytes = kernel.bytes_written * miss_share;

  if (used.cube.blocks > 0) {
    UnitRatios& cube = result.cube_core = common_ratios(result.busy_ns);
    cube.mac = ratio(cube_ns, result.busy_ns);
    // The cube's inputs pass L1 about as long as it computes, its results leave through fixpipe.
    cube.mte1 = ratio(0.85 * cube_ns, result.busy_ns);
    cube.mte2 = ratio(read_ns, result.busy_ns);
    cube.fixpipe = ratio(write_ns + 0.05 * cube_ns, result.busy_ns);
  }
  if (used.vector.blocks > 0) {
    UnitRatios& vector = result.vector_core = common_ratios(result.busy_ns);
    vector.vector = ratio(vector_ns, result.busy_ns);
    vector.mte2 = ratio(read_ns, result.busy_ns);
    vector.mte3 = ratio(write_ns, result.busy_ns);
  }
  return result;
}

}  // namespace npuprof::sim
