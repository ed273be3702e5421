#include "analyze/graph_parts.h"

#include <optional>

namespace npuprof::analyze {

std::vector<GraphPart> graph_parts(const GraphExecution& execution) {
  const bool is_replayed = execution.mode == GraphMode::kAclGraph;
  const auto& run_or_replay = is_replayed ? execution.launch_begin_ns : execution.run_begin_ns;
  std::vector<GraphPart> parts;
  const auto add = [&](std::string_view name, const std::optional<std::int64_t>& begin_ns,
                       const std::optional<std::int64_t>& end_ns) {
    if (begin_ns && end_ns && *begin_ns < *end_ns) parts.push_back({name, *begin_ns, *end_ns});
  };
  add("Front end", execution.front_end_begin_ns, execution.torchair_begin_ns);
  add("TorchAir Python", execution.torchair_begin_ns, run_or_replay);
  if (is_replayed) {
    add("Replay", execution.launch_begin_ns, execution.launch_end_ns);
  } else {
    add("TorchAir C++", execution.run_begin_ns, execution.launch_begin_ns);
    add("GE launch", execution.launch_begin_ns, execution.launch_end_ns);
    add("Outputs in C++", execution.launch_end_ns, execution.run_end_ns);
  }
  const auto& outputs_begin = is_replayed ? execution.launch_end_ns : execution.run_end_ns;
  if (execution.post_py_ns) add("Outputs in Python", outputs_begin, execution.end_ns);
  return parts;
}

}  // namespace npuprof::analyze
