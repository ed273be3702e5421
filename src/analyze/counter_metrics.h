#pragma once

// Metrics of kernels from their AI core counters: the `aic_*` and `aiv_*` columns of op_summary,
// kernel_details and TASK_PMU_INFO.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/device/pmu_metrics.h"
#include "trace/device/pmu_records.h"
#include "trace/trace.h"

namespace npuprof::analyze {

enum class PmuUnit : std::uint8_t {
  kMicroseconds,
  kRatio,
  kCount,  // Cycles, events, operations: whole numbers.
  kGigabytesPerSecond,
  kKilobytes,
  kPercent,
};

struct PmuColumn {
  std::string name;    // In the database, without unit: `aic_mac_time`.
  std::string header;  // In text files: `aic_mac_time(us)`.
  PmuUnit unit;
  bool in_text;      // False where the core cannot do it: only the database has the value.
  bool in_database;  // False for values derived from the kernel as a whole.
};

// The column of a metric that is known by its name in the database alone.
PmuColumn describe_metric(std::string_view name);

// The counters of one kernel and what the formulas need beside them.
struct KernelCounters {
  std::uint32_t main = trace::kNone;   // Row in PmuRecords.
  std::uint32_t slave = trace::kNone;  // Row of the other cores of a MIX kernel.
  std::uint32_t block_num = 0;
  std::uint32_t mix_block_num = 0;
  std::int64_t duration_ns = 0;  // Of the task.
};

// The metric columns of one device, fixed by its chip and the groups that were collected. Empty if
// none were.
class PmuColumns {
 public:
  PmuColumns() = default;
  explicit PmuColumns(const trace::DeviceInfo& device);

  std::span<const PmuColumn> columns() const { return columns_; }
  std::size_t size() const { return columns_.size(); }
  bool empty() const { return columns_.empty(); }

  // Writes size() values. NaN = not available: the kernel has no counters. Cores that took no part
  // in the kernel have zeros.
  void compute(const trace::PmuRecords& pmu, const KernelCounters& kernel,
               std::span<double> values) const;

 private:
  // Columns of one kind of core: total time, total cycles, then the group's metrics.
  struct Side {
    std::size_t first_column = 0;
    std::uint32_t core_count = 0;
    std::optional<format::device::PmuEvaluator> evaluator;
  };

  void add_side(Side& side, const std::string& prefix, const std::string& group,
                std::span<const std::uint32_t> events);
  void add_metric(const std::string& prefix, std::string_view metric, PmuUnit unit);
  std::size_t find_column(std::string_view name) const;
  void compute_side(const Side& side, const trace::PmuRecords& pmu, std::uint32_t row,
                    std::uint32_t blocks, double mhz, std::span<double> values) const;
  void compute_derived(std::int64_t duration_ns, std::span<double> values) const;

  static constexpr std::size_t kNoColumn = ~std::size_t{0};

  std::vector<PmuColumn> columns_;
  format::device::ChipId chip_{};
  Side cube_;    // All cores on chips that do not tell them apart.
  Side vector_;  // Unused there.
  bool separate_cores_ = false;
  double nominal_mhz_ = 0;
  std::size_t mac_ratio_ = kNoColumn;
  // A kernel is bound by memory if its transfers take longer than the busier of these.
  std::array<std::size_t, 2> bounding_ratios_ = {kNoColumn, kNoColumn};
  std::size_t mte2_ratio_ = kNoColumn;
  std::size_t memory_bound_ = kNoColumn;
  std::size_t cube_utilization_ = kNoColumn;
};

}  // namespace npuprof::analyze
