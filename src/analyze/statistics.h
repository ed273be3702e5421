#pragma once

#include <cstdint>
#include <vector>

#include "analyze/operator_rows.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Count and times of all rows that share a name. Times in ns.
struct StatisticRow {
  std::uint16_t device = 0;
  StringId type{};          // Operator type, collective type or API name.
  StringId core_type{};     // Operators only.
  std::uint16_t level = 0;  // API calls only.
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  double variance_us2 = 0;  // API calls only: of the population.
  double ratio = 0;         // Of the total of the device, 0 to 1.

  double average_ns() const { return static_cast<double>(total_ns) / static_cast<double>(count); }
};

// Kernels by (type, core type), longest total first. Kernels without a known type are left out.
std::vector<StatisticRow> operator_statistic(const trace::Trace& trace, const OperatorRows& rows);

// Collectives by type, longest total first.
std::vector<StatisticRow> collective_statistic(const trace::Trace& trace);

// Host calls by (level, name), in the order of the names.
std::vector<StatisticRow> api_statistic(const trace::Trace& trace);

}  // namespace npuprof::analyze
