#pragma once

// What the layers of a timeline have in common, computed once.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/timeline/timeline.h"
#include "trace/host/api_calls.h"
#include "trace/trace.h"

namespace npuprof::report {

using LayerNames = std::set<std::string, std::less<>>;

// Marks have no layer with a name of its own.
inline constexpr std::string_view kHostMarks = "marks";
inline constexpr std::string_view kDeviceMarks = "device marks";

struct TimelineOptions {
  bool framework = true;  // Operators, task queue and Python calls.
  // At level 0 frameworks leave out the calls of CANN and the parts of collectives.
  bool host_calls = true;
  LayerNames hidden_layers;
  // Clocks of host and device may differ a little, so tasks of results may begin before their
  // calls. Viewers of files take arrows that lead backward for broken.
  bool has_backward_arrows = false;

  bool shows(std::string_view layer) const { return !hidden_layers.contains(layer); }
  bool shows_calls() const { return host_calls && shows(layer::kCann); }
};

// One end of an arrow, at the slice of a row.
struct ArrowEnd {
  std::uint32_t row;
  ArrowKind kind;
  bool is_out;
  std::uint64_t id;
};

// Ends of arrows by row.
class ArrowEnds {
 public:
  ArrowEnds() = default;
  ArrowEnds(std::size_t rows, const std::vector<ArrowEnd>& ends);

  template <typename Event>
  void put(Event& event, std::size_t row) const {
    if (first_.empty()) return;
    for (std::uint32_t i = first_[row]; i < first_[row + 1]; ++i) {
      if (ends_[i].is_out) {
        event.arrow_out(ends_[i].kind, ends_[i].id);
      } else {
        event.arrow_in(ends_[i].kind, ends_[i].id);
      }
    }
  }

 private:
  std::vector<ArrowEnd> ends_;        // In order of rows.
  std::vector<std::uint32_t> first_;  // Of each row in ends_, and one more.
};

// What the device calls a task: "SDMA_SQE". Empty if the type is not known.
std::string_view device_type_name(const trace::DeviceInfo& device, std::uint8_t type);

class TimelineContext {
 public:
  TimelineContext(const trace::Trace& trace, const TimelineOptions& options);

  const trace::Trace& trace;
  const TimelineOptions options;
  std::vector<std::uint32_t> shown_tasks;  // Rows of Tasks, by (device, start).
  ArrowEnds operator_arrows;               // At operators: to kernels, forward to backward.
  ArrowEnds task_arrows;                   // At tasks: from operators.
  ArrowEnds mark_arrows;  // At marks of the host: from MindSpore's records of them.
  // By row of Tasks: the operator of MindSpore that launched it. Empty for others.
  std::vector<std::uint32_t> mindspore_launches;

  std::string_view view(StringId id) const { return trace.strings.view(id); }
  // The stream that the program knows a task's stream by: several may share one in the hardware.
  std::uint32_t lane_of_stream(std::uint16_t stream) const {
    const auto known = logical_streams_.find(stream);
    return known == logical_streams_.end() ? stream : known->second;
  }
  bool may_lead(std::int64_t from_ns, std::int64_t to_ns) const {
    return options.has_backward_arrows || trace.session.origin != trace::Origin::kResults ||
           from_ns <= to_ns;
  }
  // Whether an arrow leads from a call to a task or a collective.
  bool has_launch_arrow(const auto& work, std::uint32_t row) const {
    const std::uint32_t api = work.api[row];
    return api != trace::kNone && may_lead(trace.api_calls().start_ns[api], work.start_ns[row]);
  }
  std::uint64_t pid(const Layer& layer, std::uint32_t device) const {
    return layer_pid(trace.session.pid, layer.sort_index, layer.is_host ? kHostDevice : device);
  }

 private:
  void find_operator_arrows();
  void add_backward_arrows(std::vector<ArrowEnd>& ends) const;
  void add_flow_arrows(std::vector<ArrowEnd>& ends) const;
  // Numbers of arrows go on from `next`.
  void add_mark_arrows(std::int64_t next, std::vector<ArrowEnd>& at_operators);

  std::unordered_map<std::uint32_t, std::uint32_t> logical_streams_;  // By physical stream.
};

}  // namespace npuprof::report
