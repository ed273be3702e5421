#include "load/backward_rows.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/device/aicpu_nodes.h"
#include "trace/device/device_tasks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/host/os_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using Times = std::vector<std::int64_t>;

std::size_t mend_ends(const Times& starts, Times& ends) {
  std::size_t backward = 0;
  for (std::size_t row = 0; row < ends.size(); ++row) {
    if (ends[row] >= starts[row]) continue;
    ends[row] = starts[row];
    ++backward;
  }
  return backward;
}

class Mender {
 public:
  explicit Mender(trace::Losses& losses) : losses_(losses) {}

  void mend(const std::string& file, std::string_view what, const Times& starts, Times& ends) {
    const std::size_t backward = mend_ends(starts, ends);
    if (backward == 0) return;
    losses_.add(file, 0, backward,
                std::to_string(backward) + " " + std::string(what) +
                    " end before they begin: they are shown without a duration");
  }

 private:
  trace::Losses& losses_;
};

}  // namespace

void mend_backward_rows(trace::Trace& trace, const TraceSources& sources, trace::Losses& losses) {
  Mender mender(losses);
  const auto mend = [&](const std::string& file, std::string_view what, auto& table) {
    mender.mend(file, what, table.start_ns, table.end_ns);
  };
  mend(sources.framework, "operators", trace.framework_ops());
  mend(sources.framework, "ranges of the task queue", trace.enqueues());
  mend(sources.framework, "ranges of the task queue", trace.dequeues());
  mend(sources.framework, "Python calls", trace.python_calls());
  mend(sources.framework, "garbage collections", trace.garbage_collections());
  mender.mend(sources.framework, "steps", trace.steps().host_start_ns, trace.steps().host_end_ns);
  mend_ends(trace.steps().device_start_ns, trace.steps().device_end_ns);  // They say the same.
  mend(sources.host, "host calls", trace.api_calls());
  mend(sources.host, "marks", trace.marks());
  mend(sources.host, "calls of the operating system", trace.os_calls());
  mend(sources.device, "tasks", trace.device_tasks());
  mend(sources.device, "tasks", trace.tasks());
  mend(sources.device, "marks of the device", trace.device_marks());
  mend(sources.device, "collectives", trace.collective_ops());
  mend_ends(trace.collective_tasks().start_ns, trace.collective_tasks().end_ns);  // Tasks again.
  mend(sources.device, "intervals of overlap", trace.overlap_intervals());
  mend(sources.device, "AI CPU nodes", trace.aicpu_nodes());
}

}  // namespace npuprof::load
