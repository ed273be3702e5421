#include "analyze/unfinished_calls.h"

#include <algorithm>
#include <unordered_map>

#include "trace/framework/python_calls.h"

namespace npuprof::analyze {

std::vector<std::uint32_t> unfinished_python_calls(const trace::Trace& trace) {
  const trace::PythonCalls& calls = trace.python_calls();
  std::unordered_map<std::uint32_t, std::int64_t> last_ns;  // By thread.
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::int64_t& last = last_ns.try_emplace(calls.tid[i], calls.end_ns[i]).first->second;
    last = std::max(last, calls.end_ns[i]);
  }
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ending;
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (calls.end_ns[i] == last_ns[calls.tid[i]]) ending[calls.tid[i]].push_back(i);
  }
  std::vector<std::uint32_t> unfinished;
  for (const auto& [tid, rows] : ending) {
    const auto innermost = std::max_element(
        rows.begin(), rows.end(),
        [&](std::uint32_t a, std::uint32_t b) { return calls.start_ns[a] < calls.start_ns[b]; });
    const bool has_just_begun = calls.start_ns[*innermost] == calls.end_ns[*innermost];
    for (auto row = rows.begin(); row != rows.end(); ++row) {
      if (row != innermost || has_just_begun) unfinished.push_back(*row);
    }
  }
  std::sort(unfinished.begin(), unfinished.end());
  return unfinished;
}

}  // namespace npuprof::analyze
