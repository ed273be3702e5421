#include "report/flamegraph/stacks.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/operator_times.h"
#include "base/text.h"
#include "link/framework/op_tree.h"
#include "report/text/parallel_file.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::report {
namespace {

constexpr std::int64_t kNsPerUs = 1000;

// A frame of that text must not end the line.
void put_frame(TextBuffer& out, std::string_view frame) {
  for (const char c : trim(frame)) out.character(c == '\n' || c == '\r' ? ' ' : c);
}

void put_line(TextBuffer& out, std::string_view stack, std::int64_t value_us) {
  while (!stack.empty()) {
    const std::size_t separator = stack.rfind(';');
    const bool is_last = separator == std::string_view::npos;
    put_frame(out, is_last ? stack : stack.substr(separator + 1));
    if (is_last) break;
    out.character(';');
    stack = stack.substr(0, separator);
  }
  out.character(' ').integer(value_us);
}

}  // namespace

std::size_t operators_with_stack(const trace::Trace& trace) {
  const auto& stacks = trace.framework_ops().stack;
  return stacks.size() -
         static_cast<std::size_t>(std::count(stacks.begin(), stacks.end(), kEmptyString));
}

Status write_stacks(const trace::Trace& trace, StackMetric metric,
                    const std::filesystem::path& path, ThreadPool& pool) {
  const auto& ops = trace.framework_ops();
  const analyze::OperatorTimes times = analyze::operator_times(trace);
  const std::vector<std::int64_t>& values =
      metric == StackMetric::kSelfCpuTime ? times.host_self_ns : times.device_self_ns;
  std::vector<std::uint32_t> shown = link::ops_in_nesting_order(ops);
  std::erase_if(shown, [&](std::uint32_t op) {
    return ops.stack[op] == kEmptyString || values[op] < kNsPerUs;
  });
  NPUPROF_ASSIGN_OR_RETURN(auto file, ParallelFile::create(path, pool));
  file.rows(shown.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (i > 0) out.character('\n');
      put_line(out, trace.strings.view(ops.stack[shown[i]]), values[shown[i]] / kNsPerUs);
    }
  });
  return file.close();
}

}  // namespace npuprof::report
