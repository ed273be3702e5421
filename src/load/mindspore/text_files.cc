#include "load/mindspore/text_files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/saturated.h"
#include "base/text.h"
#include "format/mindspore/cpu_text.h"
#include "format/mindspore/host_info.h"
#include "format/mindspore/op_range.h"
#include "load/plausible.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/pool_totals.h"

namespace npuprof::load {
namespace {

namespace mindspore = format::mindspore;

// The lines of a file, with what was wrong with some of them.
class TextLines {
 public:
  TextLines(const std::filesystem::path& path, trace::Losses& losses)
      : path_(path.native()), losses_(losses) {
    auto text = read_file(path);
    if (!text.ok()) {
      losses.add(path_, 0, 0, text.error().message);
      return;
    }
    text_ = std::move(text).value();
  }
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;
  ~TextLines() {
    if (bad_ == 0) return;
    losses_.add(path_, first_bad_, bad_,
                fmt::format("{} line(s) or parts of them make no sense and were left out", bad_));
  }

  // Calls visit(line) for each line that is not empty; it says whether the line made sense.
  template <typename Visit>
  void for_each(Visit visit) {
    std::size_t begin = 0;
    while (begin < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = std::string_view(text_).substr(begin, end - begin);
      if (!trim(line).empty() && !visit(line)) add_bad(begin, 1);
      begin = end + 1;
    }
  }
  void add_bad(std::size_t offset, std::uint64_t count) {
    if (bad_ == 0) first_bad_ = offset;
    bad_ += count;
  }

 private:
  std::string path_;
  trace::Losses& losses_;
  std::string text_;
  std::uint64_t bad_ = 0;
  std::size_t first_bad_ = 0;
};

std::string_view without_line_feed(std::string_view header) {
  return header.substr(0, header.size() - 1);
}

// Where a range of host_info began that has not ended.
struct OpenRange {
  std::int64_t start_us = 0;
};
using RangeKey = std::tuple<std::int64_t, std::string, std::string, std::string, std::string>;

void append_host_range(const mindspore::HostInfo& info, std::int64_t start_us,
                       trace::Trace& trace) {
  trace::FrameworkOps& ops = trace.framework_ops();
  trace::MindSporeOps& details = trace.mindspore_ops();
  const std::size_t row = ops.size();
  resize_rows(ops, row + 1);
  resize_rows(details, row + 1);
  std::string name(info.module);
  name.append("::").append(info.event).append("::").append(info.stage);
  ops.start_ns[row] = saturated_product(start_us, 1000);
  ops.end_ns[row] = saturated_product(info.time_us, 1000);
  ops.sequence[row] = -1;
  ops.pid[row] = static_cast<std::uint32_t>(info.process_id);
  ops.tid[row] = static_cast<std::uint32_t>(info.thread_id);
  ops.name[row] = trace.strings.intern(name);
  ops.parent[row] = trace::kNone;
  details.op[row] = static_cast<std::uint32_t>(row);
  details.flow[row] = mindspore::kNoFlow;
  details.module[row] = trace.strings.intern(info.module);
  details.event[row] = trace.strings.intern(info.event);
  details.brief_name[row] = trace.strings.intern(info.stage);
  details.custom_info[row] = trace.strings.intern(info.custom_info);
}

}  // namespace

void load_cpu_op_times(const std::filesystem::path& path, trace::Trace& trace,
                       trace::Losses& losses) {
  TextLines lines(path, losses);
  trace::CpuOps& ops = trace.cpu_ops();
  mindspore::CpuOpTimes times;
  std::uint64_t bad_runs = 0;
  lines.for_each([&](std::string_view line) {
    if (!parse_cpu_op_times(line, times, bad_runs)) return false;
    const StringId name = trace.strings.intern(times.name);
    for (const mindspore::CpuOpRun& run : times.runs) {
      const double duration_ns = run.duration_ms * 1e6;
      if (!plausible(run.start_ns) || !(duration_ns >= 0 && duration_ns < 1e18)) {
        ++bad_runs;
        continue;
      }
      ops.start_ns.push_back(run.start_ns);
      ops.end_ns.push_back(saturated_sum(run.start_ns, std::llround(duration_ns)));
      ops.tid.push_back(static_cast<std::uint32_t>(run.worker));
      ops.name.push_back(name);
    }
    return true;
  });
  if (bad_runs > 0) lines.add_bad(0, bad_runs);
}

void load_pool_totals(const std::filesystem::path& path, trace::Trace& trace,
                      trace::Losses& losses) {
  TextLines lines(path, losses);
  trace::PoolTotals& totals = trace.pool_totals();
  std::uint64_t earlier = 0;
  lines.for_each([&](std::string_view line) {
    if (trim(line) == without_line_feed(mindspore::CpuMemory::kHeader)) return true;
    const auto memory = mindspore::parse_cpu_memory(line);
    if (!memory || !plausible(memory->time_ns)) return false;
    if (memory->time_ns < trace.session.begin_ns) {
      ++earlier;
      return true;
    }
    totals.time_ns.push_back(memory->time_ns);
    totals.allocated_bytes.push_back(memory->allocated_bytes);
    totals.reserved_bytes.push_back(memory->reserved_bytes);
    totals.active_bytes.push_back(memory->active_bytes);
    return true;
  });
  if (earlier > 0) {
    losses.note(path.native(), earlier,
                fmt::format("{} rows are of an earlier recording and were left out", earlier));
  }
}

void load_host_info(const std::filesystem::path& path, trace::Trace& trace, trace::Losses& losses) {
  using Mark = mindspore::HostInfo::Mark;
  TextLines lines(path, losses);
  std::map<RangeKey, std::vector<OpenRange>> open;
  std::uint64_t ends_alone = 0;
  lines.for_each([&](std::string_view line) {
    if (trim(line) == without_line_feed(mindspore::HostInfo::kHeader)) return true;
    const auto info = mindspore::parse_host_info(line);
    if (!info || !plausible(saturated_product(info->time_us, 1000))) return false;
    if (info->mark == Mark::kInstant) {
      append_host_range(*info, info->time_us, trace);
      return true;
    }
    const RangeKey key{info->thread_id, std::string(info->module), std::string(info->event),
                       std::string(info->stage), std::string(info->custom_info)};
    std::vector<OpenRange>& begun = open[key];
    if (info->mark == Mark::kStart) {
      begun.push_back({info->time_us});
      return true;
    }
    if (begun.empty()) {
      ++ends_alone;
      return true;
    }
    append_host_range(*info, begun.back().start_us, trace);
    begun.pop_back();
    return true;
  });
  std::uint64_t starts_alone = 0;
  for (const auto& [key, begun] : open) starts_alone += begun.size();
  const std::uint64_t alone = ends_alone + starts_alone;
  if (alone > 0) {
    losses.add(path.native(), 0, alone,
               fmt::format("{} range(s) have no begin or no end and were left out", alone));
  }
}

}  // namespace npuprof::load
