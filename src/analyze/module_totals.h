#pragma once

// Time on the device by module of the model, as a tree: forward and backward side by side, layers
// of the same structure folded into one line, and what lies outside, so that all of it adds up.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/module_calls.h"
#include "analyze/operator_work.h"
#include "base/result.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// All calls of a module at one place of the tree. Times are sums of kernels and collectives, those
// of inner modules included unless it says "self".
struct ModuleTotal {
  std::string name;  // `layers.[0-31]` if these are folded.
  std::uint32_t parent = trace::kNone;
  std::uint32_t depth = 0;  // 0 at the top.
  std::uint64_t calls = 0;
  std::int64_t forward_ns = 0;
  std::int64_t backward_ns = 0;
  std::int64_t self_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t busy_ns = 0;  // What ran side by side counts once.
  // How long the work takes at the peak of the device; 0 = not known.
  double ideal_ns = 0;
  // Of a call, forward and backward.
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  // Places where it is called in each pass through the model: 32 of a layer that there is 32 times.
  std::uint64_t places = 0;
  std::string slowest_place;  // `layers.17`, `DecoderLayer #17`; empty if there is one place alone.
  double slowest_ns = 0;      // A call there, on average.
  double typical_ns = 0;      // The median of the averages of all places.

  std::int64_t total_ns() const;
  double mean_ns() const { return static_cast<double>(total_ns()) / static_cast<double>(calls); }
};

struct ModuleTotals {
  std::vector<ModuleTotal> modules;      // Parents before children, in order of the first call.
  bool is_from_python = false;           // From calls of nn.Module: there are no marks.
  std::int64_t total_ns = 0;             // Of all kernels and collectives.
  std::int64_t outside_ns = 0;           // Of operators outside of all modules,
  std::int64_t outside_backward_ns = 0;  // with what is part of the backward pass,
  std::int64_t without_operator_ns = 0;  // and of no operator that is known.
};

// `ideal_ns` by row of `work`, NaN = not known; empty = not asked for. Fails with kNoData if there
// are no modules, or no work.
Result<ModuleTotals> module_totals(const trace::Trace& trace, const OperatorWork& work,
                                   std::span<const double> ideal_ns = {});

}  // namespace npuprof::analyze
