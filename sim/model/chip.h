#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/device/chips.h"
#include "sim/model/element_type.h"

namespace npuprof::sim {

// How data travels between two devices.
enum class Link : std::uint8_t { kOnChip, kHccs, kPcie, kRdma, kSio };
inline constexpr std::size_t kLinkCount = 5;

struct LinkSpec {
  double gb_per_s = 0;          // Achieved, one direction, one pair of devices. 1 GB = 10^9 bytes.
  std::int64_t latency_ns = 0;  // From the order to the first byte.
};

// What the timing model knows about a chip. Every number is an assumption of the simulation chosen
// to have the right order of magnitude; chip.cc says where each comes from.
struct ChipSpec {
  std::string_view name;
  std::uint32_t platform_version = 0;  // The chip id in info.json.
  bool dual_die = false;               // Two devices share a package and talk through it.
  std::uint32_t ai_core_count = 0;
  std::uint32_t vector_core_count = 0;
  std::uint32_t aicpu_core_count = 0;
  std::uint32_t aic_mhz = 0;
  std::uint32_t device_counter_mhz = 0;  // "hwts_frequency": the tick of all device time stamps.

  double hbm_gb_per_s = 0;
  std::uint64_t hbm_bytes = 0;
  double l2_gb_per_s = 0;
  double l2_gb_per_s_per_core = 0;  // What one core can draw alone.
  double host_copy_gb_per_s = 0;    // Host to device and back, over PCIe.

  std::int64_t kernel_overhead_ns = 0;  // Scheduler and block dispatch, inside a task's duration.
  std::int64_t mix_overhead_ns = 0;     // More of it for kernels that run on both kinds of core.
  std::int64_t task_gap_ns = 0;         // Between two tasks of a stream.
  std::int64_t launch_latency_ns = 0;   // From the end of the launch on the host to the scheduler.
  std::int64_t event_ns = 0;            // Duration of an event or notify task that need not wait.
  std::int64_t notify_latency_ns = 0;   // From a record to the end of the wait on another device.
  std::int64_t copy_overhead_ns = 0;    // Set-up of a DMA task.
  std::int64_t aicpu_overhead_ns = 0;   // Dispatch of an AI CPU kernel.
  double aicpu_giga_operations_per_s = 0;
  double aicpu_gb_per_s = 0;

  LinkSpec links[kLinkCount];

  format::device::ChipId id() const {
    return static_cast<format::device::ChipId>(platform_version);
  }
  bool is_v6() const { return format::device::is_v6(id()); }
  const LinkSpec& link(Link kind) const { return links[static_cast<std::size_t>(kind)]; }

  // Operations (a multiply-add counts two) that one cube unit finishes per cycle.
  double cube_flops_per_cycle(ElementType type) const;
  // Element operations that one vector unit finishes per cycle.
  double vector_operations_per_cycle(ElementType type) const;
  // Peak of the whole chip at `mhz`, operations per second.
  double peak_cube_flops(ElementType type, double mhz) const;
  double peak_vector_operations(ElementType type, double mhz) const;
};

// By product name: "Ascend910B1" ... "Ascend910B4", "Ascend910_93", "Ascend910_95". The prefix and
// the case do not matter ("910b3").
Result<const ChipSpec*> find_chip(std::string_view name);
std::vector<std::string_view> chip_names();

}  // namespace npuprof::sim
