#include "sim/model/chip.h"

#include <cctype>
#include <string>

#include <fmt/format.h>

namespace npuprof::sim {
namespace {

constexpr std::uint64_t kGib = 1ull << 30;

// Cube: a unit multiplies 16x16x16 half-precision matrices in one cycle, 8192 operations, which is
// also the factor readers apply to its busy cycles; bytes run at twice, single precision at a
// quarter of that rate.
constexpr double kCubeFlopsPerCycle = 8192;
// Vector: 256 bytes of operands per cycle, so 128 half-precision lanes.
constexpr double kVectorBytesPerCycle = 256;

// What the members of the family have in common.
constexpr ChipSpec a2_base() {
  return {
      .platform_version = 5,
      .aicpu_core_count = 6,
      // Kernels of public traces run at 1800 MHz and drop to 800 MHz when idle or hot.
      .aic_mhz = 1800,
      .device_counter_mhz = 50,
      // Four stacks of HBM2e are published as 1.6 TB/s.
      .hbm_gb_per_s = 1600,
      .hbm_bytes = 64 * kGib,
      // Assumption: L2 delivers three times what HBM does.
      .l2_gb_per_s = 4800,
      // 64 bytes per cycle at 1.8 GHz.
      .l2_gb_per_s_per_core = 115,
      // PCIe 4.0 x16 less protocol; pageable copies are slower, which is the caller's to model.
      .host_copy_gb_per_s = 24,
      // Public traces show a task last about 3 us longer than its cores were busy.
      .kernel_overhead_ns = 2600,
      .mix_overhead_ns = 700,
      .task_gap_ns = 400,
      .launch_latency_ns = 3000,
      .event_ns = 60,
      .notify_latency_ns = 1400,
      .copy_overhead_ns = 1200,
      .aicpu_overhead_ns = 18000,
      // Assumption: six small general cores, a few giga-operations each.
      .aicpu_giga_operations_per_s = 12,
      .aicpu_gb_per_s = 8,
      .links =
          {
              {.gb_per_s = 600, .latency_ns = 600},  // A copy inside HBM, read and written back.
              // Published: 392 GB/s in seven links, both directions; traces reach two thirds.
              {.gb_per_s = 19.2, .latency_ns = 900},
              {.gb_per_s = 18, .latency_ns = 1800},
              // One 200 Gbit/s port per device, less protocol.
              {.gb_per_s = 22, .latency_ns = 4500},
              {.gb_per_s = 150, .latency_ns = 700},  // Between the two dies of a package.
          },
  };
}

constexpr ChipSpec a2(std::string_view name, std::uint32_t ai_cores, std::uint32_t aic_mhz) {
  ChipSpec spec = a2_base();
  spec.name = name;
  spec.ai_core_count = ai_cores;
  spec.vector_core_count = 2 * ai_cores;
  spec.aic_mhz = aic_mhz;
  return spec;
}

// The smallest of the family: half the memory and half the bandwidth.
constexpr ChipSpec a2_small(std::string_view name) {
  ChipSpec spec = a2(name, 20, 1650);
  spec.hbm_bytes = 32 * kGib;
  spec.hbm_gb_per_s = 800;
  spec.l2_gb_per_s = 2400;
  return spec;
}

// Two dies in a package, each of them a device; a switched HCCS between all of them.
constexpr ChipSpec a3(std::string_view name) {
  ChipSpec spec = a2(name, 24, 1800);
  spec.dual_die = true;
  spec.links[static_cast<std::size_t>(Link::kHccs)] = {.gb_per_s = 90, .latency_ns = 1200};
  return spec;
}

// Published: about 1 PFLOPS at 8 bits, 128 GB of memory at 1.6 TB/s, 2 TB/s of links. 36 cube cores
// at 1.65 GHz give that figure.
constexpr ChipSpec a5(std::string_view name) {
  ChipSpec spec = a2(name, 36, 1650);
  spec.platform_version = 15;
  spec.device_counter_mhz = 1000;
  spec.hbm_bytes = 128 * kGib;
  spec.l2_gb_per_s = 6400;
  spec.host_copy_gb_per_s = 48;  // PCIe 5.0.
  spec.kernel_overhead_ns = 1800;
  spec.launch_latency_ns = 2200;
  spec.links[static_cast<std::size_t>(Link::kHccs)] = {.gb_per_s = 110, .latency_ns = 900};
  spec.links[static_cast<std::size_t>(Link::kRdma)] = {.gb_per_s = 44, .latency_ns = 4000};
  return spec;
}

// Published half-precision peaks of the 910B series fall from about 400 (B1) to 280 TFLOPS (B4);
// core counts and clocks are chosen to come near them.
constexpr ChipSpec kChips[] = {
    a2("Ascend910B1", 25, 1850), a2("Ascend910B2", 24, 1800), a2("Ascend910B3", 20, 1800),
    a2_small("Ascend910B4"),     a3("Ascend910_93"),          a5("Ascend910_95"),
};

std::string normalized(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text.starts_with("ascend")) text.erase(0, 6);
  return text;
}

}  // namespace

double ChipSpec::cube_flops_per_cycle(ElementType type) const {
  switch (type) {
    case ElementType::kFloat32:
      return kCubeFlopsPerCycle / 4;
    case ElementType::kInt8:
    case ElementType::kUint8:
      return kCubeFlopsPerCycle * 2;
    case ElementType::kFloat8E4m3:
    case ElementType::kFloat8E5m2:
      // Only the newest chip has 8-bit floating point; older ones would widen it first.
      return is_v6() ? kCubeFlopsPerCycle * 2 : kCubeFlopsPerCycle;
    default:
      return kCubeFlopsPerCycle;
  }
}

double ChipSpec::vector_operations_per_cycle(ElementType type) const {
  // Nothing is processed in less than two bytes.
  const std::uint32_t width = bytes_per_element(type);
  return kVectorBytesPerCycle / (width < 2 ? 2 : width);
}

double ChipSpec::peak_cube_flops(ElementType type, double mhz) const {
  return cube_flops_per_cycle(type) * ai_core_count * mhz * 1e6;
}

double ChipSpec::peak_vector_operations(ElementType type, double mhz) const {
  return vector_operations_per_cycle(type) * vector_core_count * mhz * 1e6;
}

Result<const ChipSpec*> find_chip(std::string_view name) {
  const std::string wanted = normalized(name);
  for (const ChipSpec& chip : kChips) {
    if (normalized(chip.name) == wanted) return &chip;
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("unknown chip '{}'; known are {}", name, fmt::join(chip_names(), ", "))};
}

std::vector<std::string_view> chip_names() {
  std::vector<std::string_view> names;
  for (const ChipSpec& chip : kChips) names.push_back(chip.name);
  return names;
}

}  // namespace npuprof::sim
