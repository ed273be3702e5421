#pragma once

// Host time of each execution of a compiled graph before the device can start, by layer: front end
// (serving code and Dynamo), TorchAir in Python and in C++, GE.
//
//   F        I.s                    R.s             E.s        E.e        R.e       I.e
//   |front_end|torchair_py (+compile)|torchair_cpp    |ge_launch |post_cpp  |post_py  |
//                                     (+load)         |<------------- ge ------------>|
//
// I is `npu_fx_compiler inference` (or `cache_compiler inference`), R `TorchNpuGraphBase::Run`,
// E `ExecuteGraph` or `RunGraph`, F the start of the front end.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/chosen_times.h"
#include "trace/trace.h"

namespace npuprof::analyze {

enum class GraphMode : std::uint8_t {
  kGe,        // Run by GE.
  kAclGraph,  // A captured graph is replayed: `replay` stands in the place of Run.
  kEager,     // The compiler gave up: operators run one by one, there is nothing to split.
};

// What says when the front end began, in order of preference.
enum class FrontEndRule : std::uint8_t {
  kRegion,         // Outermost compiled region, with the cache lookup before it.
  kLookup,         // The last cache lookup.
  kPythonFrame,    // Outermost frame of the compiled callable.
  kCacheCompiler,  // Start of `cache_compiler inference`.
  kWrapper,        // End of the last execution in the same outer compiled module.
  kUpperBound,     // Not before the last execution ended and the step began: the truth is less.
  kUnknown,
};

// One execution of a graph. Times in ns; nothing = not known, or not of this mode.
struct GraphExecution {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::optional<std::int64_t> step;
  std::string group;          // "0/0" of the compiled region, else "#2": the second of the step.
  std::uint32_t call = 0;     // Number within the group of this thread, from 1 on.
  std::int64_t start_ns = 0;  // I, or R where there is no I.
  std::int64_t end_ns = 0;
  GraphMode mode = GraphMode::kGe;
  FrontEndRule rule = FrontEndRule::kUnknown;

  std::optional<std::int64_t> front_end_begin_ns;  // F, wall clock.
  std::optional<std::int64_t> front_end_ns;        // Without compilation.
  std::optional<std::int64_t> front_end_outer_ns;  // Before F: serving code since the last one.
  std::optional<std::int64_t> torchair_py_ns;
  std::int64_t compile_ns = 0;  // Of ACL graphs: warm-up and capture.
  std::optional<std::int64_t> torchair_cpp_ns;
  std::int64_t load_ns = 0;
  std::optional<std::int64_t> ge_ns;
  std::optional<std::int64_t> ge_launch_ns;
  std::optional<std::int64_t> post_cpp_ns;
  std::optional<std::int64_t> post_py_ns;
  std::optional<std::int64_t> replay_ns;  // ACL graphs only.
  std::optional<std::int64_t> first_kernel_ns;
  std::optional<std::int64_t> head_ns;

  // When parts begin and end, wall clock; of ACL graphs the launch is the replay.
  std::optional<std::int64_t> torchair_begin_ns;
  std::optional<std::int64_t> run_begin_ns;
  std::optional<std::int64_t> launch_begin_ns;
  std::optional<std::int64_t> launch_end_ns;  // Of several the last one.
  std::optional<std::int64_t> run_end_ns;

  // Parts of torchair_py and torchair_cpp.
  std::uint32_t py_ops = 0;  // Outermost operators while inputs are prepared.
  std::int64_t py_ops_ns = 0;
  std::int64_t assemble_inputs_ns = 0;
  std::int64_t assemble_outputs_ns = 0;

  bool is_first = false;               // Of its group.
  bool is_partial = false;             // The range around Run is missing.
  bool is_truncated = false;           // Cut by the begin or end of the profile.
  bool is_unfinished = false;          // Run without a launch: it failed, or was cut.
  bool has_many_launches = false;      // Several launches in one Run: ge_launch is their sum.
  bool first_kernel_is_guess = false;  // By time, as no launch leads to it.

  bool is_cold() const { return is_first || compile_ns > 0 || load_ns > 0; }
  // Counts in averages.
  bool is_whole() const {
    return mode != GraphMode::kEager && !is_partial && !is_truncated && !is_unfinished;
  }
  bool is_exact() const { return rule < FrontEndRule::kUpperBound; }
  std::optional<std::int64_t> torchair_ns() const {
    if (!torchair_py_ns || !torchair_cpp_ns) return std::nullopt;
    return *torchair_py_ns + *torchair_cpp_ns;
  }
  // What is left of the parts.
  std::optional<std::int64_t> pure_python_ns() const;
  std::optional<std::int64_t> cpp_rest_ns() const;
};

// Operators of one name that prepare inputs in Python, all executions of a group together.
struct InputPreparation {
  enum class Hint : std::uint8_t { kNothing, kNotContiguous, kNewTensors };

  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string group;
  StringId name{};
  Hint hint = Hint::kNothing;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
};

// A range of compilation.
struct GraphCompilation {
  enum class When : std::uint8_t { kFirstCall, kRecompilation, kOutside };

  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::int64_t start_ns = 0;
  std::int64_t length_ns = 0;
  StringId name{};
  When when = When::kOutside;  // kOutside: of no execution in the profile.
  std::string group;
  std::optional<std::int64_t> step;
};

struct HeadOverhead {
  std::vector<GraphExecution> executions;      // By start.
  std::vector<InputPreparation> preparations;  // By group, longest first.
  std::vector<GraphCompilation> compilations;  // By start; LoadGraph too.
  std::uint64_t lone_launches = 0;             // GE launches without a Run around them: cut ones.
  bool has_python_calls = false;               // Recording them makes torchair_py longer.
};

// Empty if the profile has no range of TorchAir. Of what began on the host in the chosen times.
HeadOverhead head_overhead(const trace::Trace& trace, const ChosenTimes& chosen = {});

// Averages over executions of one group of one thread. Cold and warm ones, and exact front ends and
// upper bounds, are never mixed.
struct HeadOverheadSummary {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string group;
  GraphMode mode = GraphMode::kGe;
  bool is_cold = false;
  bool is_exact = true;
  std::uint64_t calls = 0;
  // Means in ns; nothing if no execution has a value.
  std::optional<double> front_end_ns;
  std::optional<double> compile_ns;
  std::optional<double> torchair_py_ns;
  std::optional<double> load_ns;
  std::optional<double> torchair_cpp_ns;
  std::optional<double> ge_ns;
  std::optional<double> ge_launch_ns;
  std::optional<double> post_cpp_ns;
  std::optional<double> post_py_ns;
  std::optional<double> replay_ns;
  std::optional<double> first_kernel_ns;
  std::optional<double> head_ns;
  std::int64_t head_p95_ns = 0;
  std::int64_t head_sum_ns = 0;
  std::optional<double> share_of_step;  // Of the steps that these executions lie in.
};

// By thread and group in order of first appearance, warm before cold.
std::vector<HeadOverheadSummary> summarize_head_overhead(const trace::Trace& trace,
                                                         const HeadOverhead& overhead);

}  // namespace npuprof::analyze
