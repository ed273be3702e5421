#pragma once

// Time on the device by module, operator and list of kernels, as a table that other tools know: the
// same rows in the same order, cell by cell.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/module_tree.h"
#include "analyze/operator_work.h"
#include "base/result.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Calls of one operator at one place of a module's sequence of operators, with the same kernels.
struct ModuleStatisticRow {
  StringId parent_module{};  // Of `paths`; so is the next.
  StringId module{};         // "[Backward]" before it, and a number behind it if sequences vary.
  StringId op_name{};        // Of the trace's pool.
  std::uint32_t kernel_list = 0;  // See ModuleStatistic::kernels().
  std::int64_t total_ns = 0;
  std::uint64_t count = 0;
  // The mean of the positive values of each kernel of the list, NaN = none; empty without values.
  std::vector<double> utilization;

  double average_ns() const { return static_cast<double>(total_ns) / static_cast<double>(count); }
};

// Sequences of names, each kept once.
class NameLists {
 public:
  NameLists() : begins_{0} {}
  std::uint32_t intern(std::span<const StringId> names);
  std::span<const StringId> at(std::uint32_t list) const {
    return std::span(names_).subspan(begins_[list], begins_[list + 1] - begins_[list]);
  }

 private:
  std::vector<StringId> names_;
  std::vector<std::size_t> begins_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> lists_;  // By hash.
};

struct ModuleStatistic {
  ModulePaths paths;
  NameLists kernel_lists;
  std::vector<ModuleStatisticRow> rows;

  // Names joined by ", ", in order of launch.
  std::string kernels(const StringPool& names, const ModuleStatisticRow& row) const;
};

struct ModuleStatisticOptions {
  bool backward = true;  // Modules of the backward pass too.
  // By row of OperatorWork, how much of the device's peak was used; NaN or not positive = no value.
  // Empty = not asked for.
  std::span<const double> utilization = {};
};

// Fails with kNoData if there is no module, no operator with work, or none in a module.
Result<ModuleStatistic> module_statistic(const trace::Trace& trace, const OperatorWork& work,
                                         const ModuleStatisticOptions& options = {});

// "55.51%,67.4%": percent with at most two decimals; kernels without a value are left out.
std::string utilization_text(std::span<const double> values);

}  // namespace npuprof::analyze
