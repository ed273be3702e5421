#include "load/mindspore/pipeline_files.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "format/mindspore/data_pipeline.h"
#include "trace/framework/pipeline_ops.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
namespace mindspore = format::mindspore;

using RowOfId = std::unordered_map<std::int64_t, std::uint32_t>;

template <typename Parse>
auto read_pipeline_file(const fs::path& path, Parse parse, trace::Losses& losses)
    -> decltype(parse(std::string_view())) {
  auto text = read_file(path);
  if (!text.ok()) {
    losses.add(path.native(), 0, 0, text.error().message);
    return text.error();
  }
  auto file = parse(std::string_view(*text));
  if (!file.ok()) {
    losses.add(path.native(), 0, 0, file.error().message);
  } else if (file->odd_values > 0) {
    losses.add(path.native(), 0, file->odd_values,
               fmt::format("{} value(s) of operators are of another type than they should be",
                           file->odd_values));
  }
  return file;
}

RowOfId load_operators(const fs::path& path, trace::Trace& trace, trace::Losses& losses) {
  RowOfId rows;
  auto file = read_pipeline_file(path, mindspore::parse_pipeline, losses);
  if (!file.ok()) return rows;
  auto& operators = file->operators;
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.id < b.id; });
  trace::PipelineOps& ops = trace.pipeline_ops();
  trace::PipelineQueues& queues = trace.pipeline_queues();
  std::uint64_t repeated = 0;
  for (const auto& op : operators) {
    const auto row = static_cast<std::uint32_t>(ops.size());
    if (!rows.emplace(op.id, row).second) {
      ++repeated;
      continue;
    }
    ops.id.push_back(op.id);
    ops.type.push_back(trace.strings.intern(op.type));
    ops.workers.push_back(op.workers);
    ops.queue_length.push_back(op.queue ? op.queue->length : trace::PipelineOps::kNoQueue);
    ops.sample_interval_ms.push_back(file->sampling_interval_ms);
    ops.parent.push_back(trace::kNone);
    if (!op.queue) continue;
    for (const std::int64_t size : op.queue->sizes) {
      queues.op.push_back(row);
      queues.items.push_back(size);
    }
  }
  for (const auto& op : operators) {
    for (const std::int64_t child : op.children) {
      const auto found = rows.find(child);
      // Nothing is its own parent, nor that of what came before it: the ids go down the tree.
      if (found != rows.end() && child > op.id) ops.parent[found->second] = rows.at(op.id);
    }
  }
  if (repeated > 0) {
    losses.add(
        path.native(), 0, repeated,
        fmt::format("{} operator(s) have the number of another and were left out", repeated));
  }
  return rows;
}

void load_cpus(const fs::path& path, const RowOfId& rows, trace::Trace& trace,
               trace::Losses& losses) {
  const auto file = read_pipeline_file(path, mindspore::parse_pipeline_cpu, losses);
  if (!file.ok()) return;
  trace::PipelineCpus& cpus = trace.pipeline_cpus();
  for (const auto& op : file->operators) {
    const auto row = rows.find(op.id);
    if (row == rows.end()) continue;  // -1 is what belongs to none.
    const std::size_t samples = std::min(op.usage.user.size(), op.usage.system.size());
    const std::size_t all = std::max(op.usage.user.size(), op.usage.system.size());
    if (all > samples) {
      losses.add(path.native(), 0, all - samples,
                 fmt::format("{} sample(s) of operator {} are left out: the program's part or the "
                             "system's is missing",
                             all - samples, op.id));
    }
    for (std::size_t i = 0; i < samples; ++i) {
      cpus.op.push_back(row->second);
      cpus.user_percent.push_back(op.usage.user[i]);
      cpus.system_percent.push_back(op.usage.system[i]);
    }
  }
}

void load_batches(const fs::path& path, bool is_device_queue, trace::Trace& trace,
                  trace::Losses& losses) {
  const auto text = read_file(path);
  if (!text.ok()) {
    losses.add(path.native(), 0, 0, text.error().message);
    return;
  }
  trace::PipelineBatches& batches = trace.pipeline_batches();
  std::uint64_t bad = 0;
  for (const std::string_view line : split(*text, '\n')) {
    if (trim(line).empty()) continue;
    const auto record = mindspore::parse_pipeline_trace(line);
    if (!record) {
      ++bad;
      continue;
    }
    batches.batch.push_back(record->batch);
    batches.kind.push_back(static_cast<std::uint8_t>(record->kind));
    batches.extra.push_back(record->extra);
    batches.value.push_back(record->value);
    batches.stamp_ms.push_back(record->time_ms);
    batches.is_device_queue.push_back(is_device_queue ? 1 : 0);
  }
  if (bad > 0) {
    losses.add(path.native(), 0, bad,
               fmt::format("{} line(s) make no sense and were left out", bad));
  }
}

}  // namespace

void load_pipeline(const PipelinePaths& paths, trace::Trace& trace, trace::Losses& losses) {
  const auto missing = [&](const fs::path& path, const fs::path& beside, const char* what) {
    if (!path.empty() || beside.empty()) return;
    losses.add(beside.parent_path().native(), 0, 0,
               fmt::format("there is no {}, which MindSpore writes with {}", what,
                           beside.filename().native()));
  };
  const fs::path& other = paths.cpu.empty() ? paths.iterator : paths.cpu;
  missing(paths.pipeline, other.empty() ? paths.device_queue : other, "pipeline_profiling file");
  missing(paths.cpu, paths.pipeline, "minddata_cpu_utilization file");
  const fs::path& batches = paths.device_queue.empty() ? paths.iterator : paths.device_queue;
  missing(batches, paths.pipeline, "dataset_iterator_profiling or device_queue_profiling file");
  if (paths.pipeline.empty()) return;
  const RowOfId rows = load_operators(paths.pipeline, trace, losses);
  if (!paths.cpu.empty()) load_cpus(paths.cpu, rows, trace, losses);
  // Who feeds the device knows more than who iterates.
  if (!paths.device_queue.empty()) {
    load_batches(paths.device_queue, true, trace, losses);
  } else if (!paths.iterator.empty()) {
    load_batches(paths.iterator, false, trace, losses);
  }
}

}  // namespace npuprof::load
