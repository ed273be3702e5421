#include "analyze/operator_mfu.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyze/attention_marks.h"
#include "analyze/mark_places.h"
#include "analyze/tensor_shapes.h"
#include "base/saturated.h"
#include "base/text.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/marks.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr double kReachedShare = 0.6;

bool is_kernel_row(const OperatorWork& work, std::size_t row) {
  return work.kind[row] == static_cast<std::uint8_t>(WorkKind::kKernel);
}

double real_ns(std::int64_t ns) { return static_cast<double>(ns); }

// Sums of values that may be missing: nothing is known until one is.
void add_known(double& sum, double value) {
  if (std::isnan(value)) return;
  sum = std::isnan(sum) ? value : sum + value;
}

// The last range that began before the operator of its thread and was open then.
std::vector<std::uint32_t> ranges_of_work(const trace::Trace& trace, const OperatorWork& work,
                                          const std::vector<FlopsRange>& ranges) {
  std::vector<std::uint32_t> found(work.size(), kNone);
  if (ranges.empty()) return found;
  const auto& ops = trace.framework_ops();
  std::map<std::uint32_t, std::vector<std::uint32_t>> ranges_of_thread;  // By start.
  for (std::uint32_t i = 0; i < ranges.size(); ++i) ranges_of_thread[ranges[i].tid].push_back(i);
  std::map<std::uint32_t, std::vector<std::uint32_t>> rows_of_thread;
  for (std::uint32_t row = 0; row < work.size(); ++row) {
    const auto op = work.op[std::size_t{row}];
    if (op == kNone || !is_kernel_row(work, row)) continue;
    const auto thread = ranges_of_thread.find(ops.tid[op]);
    if (thread != ranges_of_thread.end()) rows_of_thread[thread->first].push_back(row);
  }
  const auto start_of = [&](std::uint32_t row) { return ops.start_ns[work.op[std::size_t{row}]]; };
  for (auto& [tid, rows] : rows_of_thread) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return start_of(a) < start_of(b); });
    const std::vector<std::uint32_t>& own = ranges_of_thread[tid];
    std::vector<std::uint32_t> open;
    std::size_t next = 0;
    for (const std::uint32_t row : rows) {
      const std::int64_t time_ns = start_of(row);
      for (; next < own.size() && ranges[own[next]].start_ns <= time_ns; ++next) {
        open.push_back(own[next]);
      }
      while (!open.empty() && ranges[open.back()].end_ns < time_ns) open.pop_back();
      if (!open.empty()) found[row] = open.back();
    }
  }
  return found;
}

bool begins_before(const FlopsRange& a, const FlopsRange& b) {
  return std::pair(a.start_ns, b.end_ns) < std::pair(b.start_ns, a.end_ns);
}

// To when and where the program made them.
void move_to_places(const trace::Trace& trace, std::vector<FlopsRange>& ranges) {
  if (ranges.empty()) return;
  MarkPlaces places(trace);
  for (FlopsRange& range : ranges) {
    const ThreadRange place = places.of(range.mark);
    range.start_ns = place.start_ns;
    range.end_ns = place.end_ns;
    range.tid = place.tid;
  }
  std::stable_sort(ranges.begin(), ranges.end(), begins_before);
}

// Kernels with the same tensors do the same, forward and backward.
class ShapeFlops {
 public:
  ShapeFlops(const trace::Trace& trace, const OperatorWork& work)
      : trace_(trace), work_(work), costs_(trace), marks_(attention_marks(trace, work)) {
    for (std::uint32_t row = 0; row < marks_.of_work.size(); ++row) {
      if (marks_.of_work[row] == kNone) continue;
      told_.insert_or_assign(query_key_value(row), marks_.of_work[row]);
    }
  }

  KernelCost of(std::uint32_t row) {
    KernelCost cost = costs_.of(work_.row[std::size_t{row}]);
    if (cost.family != KernelFamily::kAttention || told_.empty()) return cost;
    std::uint32_t told = marks_.of_work[row];
    if (told == kNone) {
      const auto found = told_.find(query_key_value(row));
      if (found == told_.end()) return cost;
      told = found->second;
    }
    const std::size_t kernel = work_.row[std::size_t{row}];
    const auto [place, is_new] = known_.try_emplace(
        {trace_.kernels().op_type[kernel], trace_.kernels().input_shapes[kernel], told}, 0);
    if (is_new) {
      place->second =
          attention_flops(texts_of(trace_, work_.row[std::size_t{row}]), marks_.arguments[told]);
    }
    cost.flops = place->second;
    return cost;
  }

 private:
  // The shapes of the first three inputs.
  std::string_view query_key_value(std::uint32_t row) const {
    const std::string_view shapes = without_quotes(trace_.strings.view(
        trace_.kernels().input_shapes[std::size_t{work_.row[std::size_t{row}]}]));
    std::size_t end = 0;
    for (int tensor = 0; tensor < 3 && end != std::string_view::npos; ++tensor) {
      end = shapes.find(';', end == 0 ? 0 : end + 1);
    }
    return shapes.substr(0, end);
  }

  const trace::Trace& trace_;
  const OperatorWork& work_;
  KernelCosts costs_;
  AttentionMarks marks_;
  std::unordered_map<std::string_view, std::uint32_t> told_;
  // By type and shapes of a kernel and what was told of it.
  std::map<std::tuple<StringId, StringId, std::uint32_t>, double> known_;
};

// Operations that were told of a range go to its kernels that multiply, by their time.
class RangeShares {
 public:
  RangeShares(const trace::Trace& trace, const OperatorWork& work, WorkFlops& out)
      : trace_(trace), work_(work), out_(out) {}

  void share_out(const std::vector<KernelFamily>& families) {
    std::vector<std::uint8_t> best(out_.ranges.size(), kHelper);
    std::vector<std::uint8_t> rank(work_.size(), kHelper);
    for (std::size_t row = 0; row < work_.size(); ++row) {
      const std::uint32_t range = out_.range[row];
      if (range == kNone) continue;
      rank[row] = rank_of(row, families[row]);
      best[range] = std::min(best[range], rank[row]);
    }
    std::vector<double> cube_ns(out_.ranges.size(), 0);
    for (std::size_t row = 0; row < work_.size(); ++row) {
      const std::uint32_t range = out_.range[row];
      if (range == kNone) continue;
      out_.is_helper[row] = rank[row] != best[range] || work_.is_again[row] != 0 ? 1 : 0;
      if (out_.is_helper[row] == 0) cube_ns[range] += real_ns(work_.duration_ns[row]);
    }
    for (std::size_t row = 0; row < work_.size(); ++row) {
      const std::uint32_t range = out_.range[row];
      if (range == kNone) continue;
      const double part = out_.is_helper[row] != 0 || cube_ns[range] <= 0
                              ? 0
                              : real_ns(work_.duration_ns[row]) / cube_ns[range];
      out_.flops[row] = out_.ranges[range].flops * part;
    }
  }

 private:
  enum Rank : std::uint8_t { kMultiplies, kOnCube, kHelper };

  std::uint8_t rank_of(std::size_t row, KernelFamily family) const {
    if (family != KernelFamily::kOther) return kMultiplies;
    const std::string_view core =
        trace_.strings.view(trace_.kernels().task_type[std::size_t{work_.row[row]}]);
    return core == "AI_CORE" || core == "MIX_AIC" ? kOnCube : kHelper;
  }

  const trace::Trace& trace_;
  const OperatorWork& work_;
  WorkFlops& out_;
};

struct TypeSums {
  KernelTypeUse use;
  double flops_ns = 0;  // Time of kernels whose operations are known,
  double rated_ns = 0;  // of those with a peak besides,
  double bytes_ns = 0;  // and of those whose bytes are known.
  double ideal_ns = kUnknownWork;
};

double ratio_if_known(double dividend, double divisor) {
  return divisor > 0 ? dividend / divisor : kUnknownWork;
}

// A kernel that does not multiply is bound by no cube unit.
double compute_share(double flops, double mfu) { return flops > 0 ? mfu : 0; }

KernelTypeUse finished_use(TypeSums sums, std::int64_t all_ns, const MemoryRoof& roof) {
  KernelTypeUse& use = sums.use;
  use.share = all_ns > 0 ? real_ns(use.total_ns) / real_ns(all_ns) : 0;
  use.tflops = ratio_if_known(use.flops, sums.flops_ns) / 1e3;
  use.mfu = ratio_if_known(sums.ideal_ns, sums.rated_ns);
  use.gb_s = ratio_if_known(use.bytes, sums.bytes_ns);
  use.intensity = ratio_if_known(use.flops, use.bytes);
  use.bound = roofline_bound(compute_share(use.flops, use.mfu), use.gb_s / roof.gb_s);
  return use;
}

}  // namespace

std::vector<FlopsRange> flops_ranges(const trace::Trace& trace) {
  std::vector<FlopsRange> ranges;
  const auto domain = trace.strings.find("mfu_flops");
  if (!domain) return ranges;
  const auto& marks = trace.marks();
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks.domain[i] != *domain || marks.end_ns[i] <= marks.start_ns[i]) continue;
    const std::string_view message = trace.strings.view(marks.message[i]);
    const std::size_t dash = message.find('-');
    if (dash == std::string_view::npos || dash + 1 == message.size()) continue;
    const std::string_view digits = message.substr(0, dash);
    const bool is_number = std::all_of(digits.begin(), digits.end(),
                                       [](char digit) { return digit >= '0' && digit <= '9'; });
    const auto flops = is_number ? parse_number<double>(digits) : std::nullopt;
    if (!flops || *flops <= 0) continue;
    ranges.push_back({marks.start_ns[i], marks.end_ns[i], marks.tid[i],
                      static_cast<std::uint32_t>(i), *flops, message.substr(dash + 1)});
  }
  std::stable_sort(ranges.begin(), ranges.end(), begins_before);
  return ranges;
}

WorkFlops work_flops(const trace::Trace& trace, const OperatorWork& work, Peaks& peaks) {
  WorkFlops out;
  out.ranges = flops_ranges(trace);
  move_to_places(trace, out.ranges);
  out.range = ranges_of_work(trace, work, out.ranges);
  out.flops.assign(work.size(), kUnknownWork);
  out.bytes.assign(work.size(), kUnknownWork);
  out.ideal_ns.assign(work.size(), kUnknownWork);
  out.type.assign(work.size(), NumberType::kUnknown);
  out.is_helper.assign(work.size(), 0);
  std::vector<KernelFamily> families(work.size(), KernelFamily::kOther);
  ShapeFlops shapes(trace, work);
  for (std::uint32_t row = 0; row < work.size(); ++row) {
    if (!is_kernel_row(work, row)) continue;
    const KernelCost cost = shapes.of(row);
    out.flops[row] = cost.flops;
    out.bytes[row] = cost.bytes;
    out.type[row] = cost.type;
    families[row] = cost.family;
  }
  if (!out.ranges.empty()) RangeShares(trace, work, out).share_out(families);
  for (std::size_t row = 0; row < work.size(); ++row) {
    if (!(out.flops[row] > 0)) continue;
    const double peak = peaks.at(work.device[row], out.type[row], work.start_ns[row]);
    out.ideal_ns[row] = out.flops[row] / peak * 1e9;
  }
  return out;
}

Bound roofline_bound(double compute_share, double memory_share) {
  const double compute = std::isnan(compute_share) ? 0 : compute_share;
  const double memory = std::isnan(memory_share) ? 0 : memory_share;
  if (compute >= kReachedShare && compute >= memory) return Bound::kCompute;
  if (memory >= kReachedShare) return Bound::kMemory;
  // As long as one of them is not known, it may be that one.
  const bool is_sure = !std::isnan(memory_share) && !std::isnan(compute_share);
  return is_sure ? Bound::kNeither : Bound::kUnknown;
}

std::string_view bound_name(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
    case Bound::kNeither:
      return "neither";
    case Bound::kUnknown:
      break;
  }
  return "";
}

namespace {

// Types that need not read all of an input.
bool reads_a_part(std::string_view type) {
  constexpr std::string_view kParts[] = {"Gather",  "Embedding", "Index",
                                         "NLLLoss", "Slice",     "Scatter"};
  return std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) {
    return type.find(part) != std::string_view::npos;
  });
}

// What kernels reach that move so much that it is not in the caches as a whole, and that start and
// end do not count, in the fastest tenth of their time: a single one may find its data in a cache.
// NaN if there are none.
template <typename IsCounted>
double fastest_gb_s(const OperatorWork& work, const WorkFlops& flops, const IsCounted& is_counted) {
  constexpr double kLeastBytes = 4e6;
  constexpr double kFastestPart = 0.1;
  struct Move {
    double gb_s;
    double duration_ns;
  };
  std::vector<Move> moves;
  double all_ns = 0;
  for (std::size_t row = 0; row < work.size(); ++row) {
    if (!(flops.bytes[row] >= kLeastBytes) || work.duration_ns[row] <= 0) continue;
    if (!is_kernel_row(work, row) || work.is_again[row] != 0 || !is_counted(row)) continue;
    const double duration_ns = real_ns(work.duration_ns[row]);
    moves.push_back({flops.bytes[row] / duration_ns, duration_ns});
    all_ns += duration_ns;
  }
  std::sort(moves.begin(), moves.end(),
            [](const Move& a, const Move& b) { return a.gb_s > b.gb_s; });
  double fastest_ns = 0;
  for (const Move& move : moves) {
    fastest_ns += move.duration_ns;
    if (fastest_ns >= kFastestPart * all_ns) return move.gb_s;
  }
  return kUnknownWork;
}

}  // namespace

MemoryRoof memory_roof(const trace::Trace& trace, const OperatorWork& work, const WorkFlops& flops,
                       double told_gb_s) {
  if (told_gb_s > 0) return {told_gb_s, true};
  const double moving_gb_s = fastest_gb_s(work, flops, [&](std::size_t row) {
    const StringId type = trace.kernels().op_type[std::size_t{work.row[row]}];
    return !(flops.flops[row] > 0) && !reads_a_part(trace.strings.view(type));
  });
  if (!std::isnan(moving_gb_s)) return {.gb_s = moving_gb_s};
  return {.gb_s = fastest_gb_s(work, flops, [](std::size_t) { return true; })};
}

std::vector<KernelUse> kernel_uses(const trace::Trace& trace, const OperatorWork& work,
                                   const WorkFlops& flops, const MemoryRoof& roof) {
  std::vector<KernelUse> uses(trace.kernels().size());
  for (std::size_t row = 0; row < work.size(); ++row) {
    if (!is_kernel_row(work, row) || work.is_again[row] != 0) continue;
    const double duration_ns = real_ns(work.duration_ns[row]);
    KernelUse& use = uses[std::size_t{work.row[row]}];
    use.mfu = ratio_if_known(flops.ideal_ns[row], duration_ns);
    use.gb_s = ratio_if_known(flops.bytes[row], duration_ns);
    use.bound = roofline_bound(compute_share(flops.flops[row], use.mfu), use.gb_s / roof.gb_s);
  }
  return uses;
}

std::vector<KernelTypeUse> kernel_type_uses(const trace::Trace& trace, const OperatorWork& work,
                                            const WorkFlops& flops, const MemoryRoof& roof,
                                            UseKey by) {
  std::vector<TypeSums> sums;
  std::map<std::tuple<StringId, StringId, NumberType>, std::size_t> place_of;
  std::int64_t all_ns = 0;
  for (std::size_t row = 0; row < work.size(); ++row) {
    if (!is_kernel_row(work, row) || work.is_again[row] != 0) continue;
    const StringId op_type = trace.kernels().op_type[std::size_t{work.row[row]}];
    const StringId shapes = by == UseKey::kShapes
                                ? trace.kernels().input_shapes[std::size_t{work.row[row]}]
                                : kEmptyString;
    const auto [place, is_new] =
        place_of.try_emplace({op_type, shapes, flops.type[row]}, sums.size());
    if (is_new) {
      sums.push_back({{.op_type = op_type, .input_shapes = shapes, .type = flops.type[row]}});
    }
    TypeSums& sum = sums[place->second];
    const double duration_ns = real_ns(work.duration_ns[row]);
    ++sum.use.count;
    add_saturated(sum.use.total_ns, work.duration_ns[row]);
    add_saturated(all_ns, work.duration_ns[row]);
    if (flops.flops[row] > 0) {
      add_known(sum.use.flops, flops.flops[row]);
      sum.flops_ns += duration_ns;
    }
    if (!std::isnan(flops.ideal_ns[row])) {
      add_known(sum.ideal_ns, flops.ideal_ns[row]);
      sum.rated_ns += duration_ns;
    }
    if (!std::isnan(flops.bytes[row])) {
      add_known(sum.use.bytes, flops.bytes[row]);
      sum.bytes_ns += duration_ns;
    }
  }
  std::vector<KernelTypeUse> uses;
  for (const TypeSums& sum : sums) uses.push_back(finished_use(sum, all_ns, roof));
  std::stable_sort(uses.begin(), uses.end(), [](const KernelTypeUse& a, const KernelTypeUse& b) {
    return a.total_ns > b.total_ns;
  });
  return uses;
}

std::vector<CallUse> call_uses(const OperatorWork& work, const WorkFlops& flops) {
  // The type of a call's numbers is that of its longest kernel that multiplies.
  std::vector<NumberType> type_of(flops.ranges.size(), NumberType::kUnknown);
  std::vector<std::int64_t> longest_ns(flops.ranges.size(), -1);
  const auto visit = [&](const auto& body) {
    for (std::size_t row = 0; row < work.size(); ++row) {
      if (flops.range[row] != kNone && work.is_again[row] == 0) body(row, flops.range[row]);
    }
  };
  visit([&](std::size_t row, std::uint32_t range) {
    if (flops.is_helper[row] != 0 || work.duration_ns[row] <= longest_ns[range]) return;
    longest_ns[range] = work.duration_ns[row];
    type_of[range] = flops.type[row];
  });
  std::map<std::pair<std::string_view, NumberType>, CallUse> uses;
  std::map<std::pair<std::string_view, NumberType>, double> ideal_ns;
  for (std::size_t range = 0; range < flops.ranges.size(); ++range) {
    if (longest_ns[range] < 0) continue;
    CallUse& use = uses[{flops.ranges[range].name, type_of[range]}];
    use.name = flops.ranges[range].name;
    use.type = type_of[range];
    use.flops += flops.ranges[range].flops;
    ++use.count;
  }
  visit([&](std::size_t row, std::uint32_t range) {
    const std::pair key(flops.ranges[range].name, type_of[range]);
    const auto use = uses.find(key);
    if (use == uses.end()) return;
    add_saturated(flops.is_helper[row] != 0 ? use->second.helper_ns : use->second.cube_ns,
                  work.duration_ns[row]);
    if (!std::isnan(flops.ideal_ns[row])) ideal_ns[key] += flops.ideal_ns[row];
  });
  std::vector<CallUse> sorted;
  for (auto& [key, use] : uses) {
    use.tflops = ratio_if_known(use.flops, real_ns(use.cube_ns)) / 1e3;
    if (const auto ideal = ideal_ns.find(key); ideal != ideal_ns.end()) {
      use.mfu = ratio_if_known(ideal->second, real_ns(use.cube_ns));
    }
    sorted.push_back(use);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CallUse& a, const CallUse& b) { return a.cube_ns > b.cube_ns; });
  return sorted;
}

TotalUse total_use(const OperatorWork& work, const WorkFlops& flops) {
  TotalUse total;
  for (std::size_t row = 0; row < work.size(); ++row) {
    if (!is_kernel_row(work, row) || work.is_again[row] != 0) continue;
    add_saturated(total.kernel_ns, work.duration_ns[row]);
    if (flops.flops[row] > 0) total.flops += flops.flops[row];
    if (std::isnan(flops.ideal_ns[row])) continue;
    add_saturated(total.counted_ns, work.duration_ns[row]);
    total.ideal_ns += flops.ideal_ns[row];
  }
  return total;
}

}  // namespace npuprof::analyze
