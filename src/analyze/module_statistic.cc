#include "analyze/module_statistic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/saturated.h"
#include "base/sort_order.h"
#include "base/text.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr double kNoUtilization = std::numeric_limits<double>::quiet_NaN();

std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  hash *= 0xFF51AFD7ED558CCD;
  return hash ^ (hash >> 32);
}

struct StatisticKey {
  StringId parent_module;
  StringId module;
  StringId op_name;
  std::uint32_t place;  // Among the operators of its module.
  std::uint32_t kernel_list;
  std::uint32_t sequence;
  friend bool operator==(const StatisticKey&, const StatisticKey&) = default;
};
struct StatisticKeyHash {
  std::size_t operator()(const StatisticKey& key) const {
    std::uint64_t hash = mixed_hash(to_index(key.parent_module), to_index(key.module));
    hash = mixed_hash(hash, to_index(key.op_name));
    hash = mixed_hash(hash, std::uint64_t{key.place} << 32 | key.kernel_list);
    return mixed_hash(hash, key.sequence);
  }
};

struct StatisticGroup {
  StatisticKey key;
  std::int64_t first_start_ns;
  std::int64_t total_ns = 0;
  std::uint64_t count = 0;
  std::size_t first_value = 0;  // In the sums of utilization.
};

struct MeanOfPositive {
  double sum = 0;
  std::uint64_t count = 0;
};

class StatisticBuilder {
 public:
  StatisticBuilder(const trace::Trace& trace, const OperatorWork& work,
                   const ModuleStatisticOptions& options)
      : trace_(trace),
        work_(work),
        options_(options),
        begins_(work_begins(work, trace.framework_ops().size())),
        out_{ModulePaths(trace.strings), {}, {}} {}

  Result<ModuleStatistic> run() {
    modules_ = marked_modules(trace_, out_.paths);
    if (modules_.empty()) {
      return Error{ErrorCode::kNoData, "the profile has no ranges of the mstx domain 'Module'"};
    }
    if (options_.backward) add_backward_modules(trace_, modules_, out_.paths);
    collect_calls();
    if (calls_.empty()) {
      return Error{ErrorCode::kNoData,
                   "no kernel of the profile is known to come from an operator of the framework"};
    }
    module_of_ = nest_modules(modules_, out_.paths, trace_.framework_ops(), calls_);
    group_calls();
    if (groups_.empty()) {
      return Error{ErrorCode::kNoData, "no operator that launched kernels lies in a module"};
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const StatisticGroup& a, const StatisticGroup& b) {
                       return std::pair(a.first_start_ns, a.key.place) <
                              std::pair(b.first_start_ns, b.key.place);
                     });
    write_rows();
    return std::move(out_);
  }

 private:
  void collect_calls();
  void group_calls();
  void add_instance(std::span<const std::uint32_t> calls);
  void add_call(std::uint32_t op, const StatisticKey& key);
  void gather_work(std::uint32_t op);
  std::uint32_t kernel_list();
  void write_rows();
  void write_run(std::size_t begin, std::size_t end);

  const trace::Trace& trace_;
  const OperatorWork& work_;
  const ModuleStatisticOptions& options_;
  std::vector<std::uint32_t> begins_;
  ModuleStatistic out_;
  std::vector<ModuleRange> modules_;
  std::vector<std::uint32_t> calls_;  // Operators with work, in nesting order.
  // By operator: others of the same name and time, which count as one with it.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> more_ops_;
  std::vector<std::uint32_t> module_of_;  // By call.
  NameLists sequences_;
  std::unordered_map<StatisticKey, std::uint32_t, StatisticKeyHash> group_of_;
  std::vector<StatisticGroup> groups_;
  std::vector<MeanOfPositive> utilization_;
  std::vector<StringId> names_;           // Memory that is used again.
  std::vector<std::uint32_t> call_work_;  // Likewise: rows of the work of one call.
};

// Calls of the same name and time are one; they stand together in nesting order.
void StatisticBuilder::collect_calls() {
  const auto& ops = trace_.framework_ops();
  std::vector<std::uint32_t> rows;
  rows.reserve(std::min(ops.size(), work_.size()));
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    if (begins_[op] != begins_[op + 1]) rows.push_back(op);
  }
  sort_by_nesting(rows, ops.start_ns, ops.end_ns, EqualIntervals::kFirstIsOuter);
  calls_.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    const std::size_t op = row;
    std::uint32_t same = kNone;
    for (std::size_t i = calls_.size(); i-- > 0;) {
      const std::size_t before = calls_[i];
      if (ops.start_ns[before] != ops.start_ns[op] || ops.end_ns[before] != ops.end_ns[op]) break;
      if (ops.name[before] == ops.name[op]) same = calls_[i];
    }
    if (same != kNone) {
      more_ops_[same].push_back(row);
    } else {
      calls_.push_back(row);
    }
  }
}

// In order of the start of modules and then of operators.
void StatisticBuilder::group_calls() {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> begins(modules_.size() + 1, 0);
  for (const std::uint32_t module : module_of_) {
    if (module != kNone) ++begins[module + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  order.resize(begins.back());
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  for (std::uint32_t call = 0; call < calls_.size(); ++call) {
    if (module_of_[call] != kNone) order[next[module_of_[call]]++] = call;
  }
  std::vector<std::int64_t> starts;
  starts.reserve(modules_.size());
  for (const ModuleRange& module : modules_) starts.push_back(module.start_ns);
  for (const std::uint32_t module : stable_order(std::span<const std::int64_t>(starts))) {
    add_instance(std::span(order).subspan(begins[module], begins[module + 1] - begins[module]));
  }
}

// All operators of one module, in order of their start.
void StatisticBuilder::add_instance(std::span<const std::uint32_t> calls) {
  if (calls.empty()) return;
  names_.clear();
  const auto& op_names = trace_.framework_ops().name;
  for (const std::uint32_t call : calls) names_.push_back(op_names[std::size_t{calls_[call]}]);
  const std::uint32_t sequence = sequences_.intern(names_);
  const ModuleRange& module = modules_[module_of_[calls.front()]];
  const StringId label = module.is_backward ? out_.paths.backward(module.name) : module.name;
  for (std::uint32_t place = 0; place < calls.size(); ++place) {
    const std::uint32_t op = calls_[calls[place]];
    gather_work(op);
    add_call(
        op, {module.parent_path, label, op_names[std::size_t{op}], place, kernel_list(), sequence});
  }
}

void StatisticBuilder::gather_work(std::uint32_t op) {
  call_work_.clear();
  const auto take = [&](std::uint32_t one) {
    for (std::uint32_t row = begins_[one]; row < begins_[one + 1]; ++row) call_work_.push_back(row);
  };
  take(op);
  if (more_ops_.empty()) return;
  const auto more = more_ops_.find(op);
  if (more == more_ops_.end()) return;
  std::for_each(more->second.begin(), more->second.end(), take);
  std::stable_sort(call_work_.begin(), call_work_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(work_.kind[a], work_.start_ns[a]) <
           std::pair(work_.kind[b], work_.start_ns[b]);
  });
}

std::uint32_t StatisticBuilder::kernel_list() {
  names_.clear();
  for (const std::uint32_t row : call_work_) names_.push_back(work_.name[row]);
  return out_.kernel_lists.intern(names_);
}

void StatisticBuilder::add_call(std::uint32_t op, const StatisticKey& key) {
  const std::int64_t start_ns = trace_.framework_ops().start_ns[std::size_t{op}];
  const auto [place, is_new] =
      group_of_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) {
    groups_.push_back({key, start_ns, 0, 0, utilization_.size()});
    if (!options_.utilization.empty()) utilization_.resize(utilization_.size() + call_work_.size());
  }
  StatisticGroup& group = groups_[place->second];
  group.first_start_ns = std::min(group.first_start_ns, start_ns);
  ++group.count;
  for (std::size_t i = 0; i < call_work_.size(); ++i) {
    add_saturated(group.total_ns, work_.duration_ns[call_work_[i]]);
    if (options_.utilization.empty()) continue;
    const double value = options_.utilization[call_work_[i]];
    if (!(value > 0)) continue;
    utilization_[group.first_value + i].sum += value;
    ++utilization_[group.first_value + i].count;
  }
}

void StatisticBuilder::write_rows() {
  const auto module_of = [](const StatisticGroup& group) {
    return std::pair(group.key.parent_module, group.key.module);
  };
  for (std::size_t begin = 0; begin < groups_.size();) {
    std::size_t end = begin + 1;
    while (end < groups_.size() && module_of(groups_[end]) == module_of(groups_[begin])) ++end;
    write_run(begin, end);
    begin = end;
  }
}

// Rows of one module that stand together; sequences of operators that differ get a number.
void StatisticBuilder::write_run(std::size_t begin, std::size_t end) {
  std::set<std::uint32_t> sequences;
  for (std::size_t i = begin; i < end; ++i) sequences.insert(groups_[i].key.sequence);
  for (std::size_t i = begin; i < end; ++i) {
    const StatisticGroup& group = groups_[i];
    ModuleStatisticRow row;
    row.parent_module = group.key.parent_module;
    row.module = group.key.module;
    if (sequences.size() > 1) {
      const auto rank = std::distance(sequences.begin(), sequences.find(group.key.sequence));
      row.module = out_.paths.numbered(row.module, static_cast<std::uint32_t>(rank));
    }
    row.op_name = group.key.op_name;
    row.kernel_list = group.key.kernel_list;
    row.total_ns = group.total_ns;
    row.count = group.count;
    if (!options_.utilization.empty()) {
      const std::size_t kernels = out_.kernel_lists.at(row.kernel_list).size();
      for (std::size_t k = 0; k < kernels; ++k) {
        const MeanOfPositive& mean = utilization_[group.first_value + k];
        row.utilization.push_back(mean.count == 0 ? kNoUtilization
                                                  : mean.sum / static_cast<double>(mean.count));
      }
    }
    out_.rows.push_back(std::move(row));
  }
}

}  // namespace

std::uint32_t NameLists::intern(std::span<const StringId> names) {
  std::uint64_t hash = names.size();
  for (const StringId name : names) hash = mixed_hash(hash, to_index(name));
  const auto [first, last] = lists_.equal_range(hash);
  for (auto place = first; place != last; ++place) {
    if (std::ranges::equal(at(place->second), names)) return place->second;
  }
  const auto list = static_cast<std::uint32_t>(begins_.size() - 1);
  names_.insert(names_.end(), names.begin(), names.end());
  begins_.push_back(names_.size());
  lists_.emplace(hash, list);
  return list;
}

std::string ModuleStatistic::kernels(const StringPool& names, const ModuleStatisticRow& row) const {
  std::string text;
  for (const StringId name : kernel_lists.at(row.kernel_list)) {
    if (!text.empty()) text += ", ";
    text += names.view(name);
  }
  return text;
}

Result<ModuleStatistic> module_statistic(const trace::Trace& trace, const OperatorWork& work,
                                         const ModuleStatisticOptions& options) {
  return StatisticBuilder(trace, work, options).run();
}

std::string utilization_text(std::span<const double> values) {
  std::string text;
  for (const double value : values) {
    if (!(value > 0)) continue;
    if (!text.empty()) text += ',';
    const std::size_t begin = text.size();
    append_double(text, std::nearbyint(value * 100 * 100) / 100);
    if (text.find_first_of(".e", begin) == std::string::npos) text += ".0";
    text += '%';
  }
  return text;
}

}  // namespace npuprof::analyze
