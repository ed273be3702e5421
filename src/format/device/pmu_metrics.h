#pragma once

// The columns a metrics group is shown as, and how each is computed from a record's counters.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/device/chips.h"
#include "format/device/pmu_events.h"
#include "format/record.h"

namespace npuprof::format::device {

enum class MetricKind : std::uint8_t {
  kPipeRatio,  // Share of cycles; shown as `<name>_time` (us) and `<name>_ratio`.
  kRatio,      // Share of cycles; shown as `<name>`.
  kQuotient,   // Counters over counters.
  kCount,      // Plain number (events, operations).
  kBandwidth,  // GB/s, 1 GB = 2^30 bytes.
  kKilobytes,
};

struct CounterTerm {
  std::uint16_t event = 0;
  double weight = 0;
};

// A column: the weighted sum of `terms`, divided by the cycles, by the sum of `divisors`, or (for a
// bandwidth, whose weights are bits per event) by the time the cycles took.
struct PmuMetric {
  std::string_view name;
  MetricKind kind = MetricKind::kCount;
  std::array<CounterTerm, 5> terms{};     // Unused ones have weight 0.
  std::array<CounterTerm, 1> divisors{};  // kQuotient only.
};

// Columns of a group, in the order results show them; empty if the chip does not have the group,
// and for the nano chip and kCustom.
std::span<const PmuMetric> pmu_metrics(PmuGroup group, ChipId chip);

// The columns that can be computed from records with a given event list.
class PmuEvaluator {
 public:
  // `events` is the order of the counters in the records. Columns that need an event which was not
  // collected are left out. A kCustom group has one raw count per event, named r<hex>.
  PmuEvaluator(PmuGroup group, ChipId chip, std::span<const std::uint16_t> events);

  struct Column {
    std::string name;
    MetricKind kind;
  };
  std::span<const Column> columns() const { return columns_; }

  // Writes one value per column to `values`. `counters` are the record's; `core_mhz` is the nominal
  // AI core frequency. Ratios are 0 when there is nothing to divide by.
  void evaluate(std::span<const U64> counters, std::uint64_t total_cycles, double core_mhz,
                std::span<double> values) const;

 private:
  // A weighted counter, by its place in the record.
  struct Input {
    std::uint8_t column;
    bool divides;
    std::uint8_t index;
    double weight;
  };

  void add_metric(const PmuMetric& metric, std::span<const std::uint16_t> events);

  std::vector<Column> columns_;
  std::vector<Input> inputs_;
};

// Time the kernel's blocks took on the cores: cycles are summed over all blocks, and blocks beyond
// the number of cores run in further rounds. Microseconds; 0 if any input is 0.
double total_time_us(std::uint64_t total_cycles, double core_mhz, std::uint32_t block_count,
                     std::uint32_t core_count);

}  // namespace npuprof::format::device
