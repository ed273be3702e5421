#include "serve/work_facts.h"

#include <algorithm>

#include "analyze/task_operators.h"
#include "answers/peak_options.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::serve {

WorkFacts::WorkFacts(const answers::Request& request)
    : op_of_task(analyze::operators_of_tasks(request.trace)),
      modules(analyze::task_modules(request.trace)),
      work(analyze::operator_work(request.trace)),
      work_of_kernel(request.trace.kernels().size(), trace::kNone),
      tasks_by_start(request.trace.tasks().size()) {
  const auto options = answers::peak_options(request);
  analyze::Peaks peaks(request.trace, options.ok() ? *options : analyze::PeakOptions{});
  flops = analyze::work_flops(request.trace, work, peaks);
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    const bool is_kernel = work.kind[i] == static_cast<std::uint8_t>(analyze::WorkKind::kKernel);
    if (is_kernel && work.is_again[i] == 0) work_of_kernel[work.row[i]] = i;
  }
  const auto& starts = request.trace.tasks().start_ns;
  for (std::uint32_t i = 0; i < tasks_by_start.size(); ++i) tasks_by_start[i] = i;
  std::stable_sort(tasks_by_start.begin(), tasks_by_start.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return starts[a] < starts[b]; });
}

}  // namespace npuprof::serve
