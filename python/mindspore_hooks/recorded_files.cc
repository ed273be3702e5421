#include "recorded_files.h"

#include <algorithm>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "format/mindspore/file_names.h"

namespace npuprof::mindspore_hooks {
namespace {

namespace fs = std::filesystem;
namespace ms = format::mindspore;

constexpr double kNsPerMs = 1e6;
constexpr std::string_view kCallsFile = "npuprof_calls.txt";  // mindspore/_call_shapes.py
constexpr std::size_t kMostBytes = std::size_t{4} << 30;

// Empty if there is none that can be read.
std::string content_of(const fs::path& path) {
  auto text = read_file(path, kMostBytes);
  return text.ok() ? std::move(text).value() : std::string();
}

// The file `<stem>_<rank>.txt`, of whichever rank.
std::string content_of_ranked(const fs::path& directory, std::string_view stem) {
  std::error_code error;
  const std::string prefix = std::string(stem) + "_";
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.ends_with(".txt")) return content_of(entry.path());
  }
  return {};
}

// "Gradients/Default/Grad_Square/Mul-op0" to "Mul-op0"
std::string_view without_scopes(std::string_view name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

std::vector<std::uint32_t> dimensions_of(std::string_view shape) {
  std::vector<std::uint32_t> dimensions;
  if (shape.empty()) return dimensions;
  for (const std::string_view part : split(shape, ',')) {
    const auto size = parse_number<std::uint32_t>(trim(part));
    if (!size) return {};
    dimensions.push_back(*size);
  }
  return dimensions;
}

RecordedFiles::RecordedFiles(const fs::path& directory, const RecordedTimes& times)
    : range_bytes_(content_of(directory / ms::kOpRangeFile)),
      run_text_(content_of_ranked(directory, ms::kCpuOpTimesStem)),
      shape_text_(content_of_ranked(directory, ms::kCpuFrameworkStem)),
      call_text_(content_of(directory / kCallsFile)),
      memory_text_(content_of_ranked(directory, ms::kCpuMemoryStem)) {
  read_ranges(times);
  read_runs(times);
  read_shapes();
  read_calls();
  read_memory(times);
}

void RecordedFiles::read_ranges(const RecordedTimes& times) {
  const auto put = [&](const ms::OpRange& record) {
    Range& range = ranges_.emplace_back();
    range.record = record;
    if (record.fixed.start == 0) return;
    range.begin_ns = times.from_ticks(record.fixed.start);
    range.end_ns = times.from_ticks(record.fixed.end);
    // Marks of flows are stamped the wrong way round.
    if (range.end_ns < range.begin_ns) std::swap(range.begin_ns, range.end_ns);
  };
  (void)format::framework::for_each_tlv_record<ms::OpRange>(as_bytes(range_bytes_), put);
}

void RecordedFiles::read_runs(const RecordedTimes& times) {
  ms::CpuOpTimes line_times;
  std::uint64_t bad_runs = 0;
  for (const std::string_view line : split(run_text_, '\n')) {
    if (line.empty() || !ms::parse_cpu_op_times(line, line_times, bad_runs)) continue;
    for (const ms::CpuOpRun& run : line_times.runs) {
      const std::int64_t begin_ns = times.from_wall(run.start_ns);
      const auto length_ns = static_cast<std::int64_t>(run.duration_ms * kNsPerMs);
      if (times.covers(begin_ns))
        runs_.push_back({line_times.name, begin_ns, begin_ns + length_ns});
    }
  }
  std::stable_sort(runs_.begin(), runs_.end(),
                   [](const OperatorRun& left, const OperatorRun& right) {
                     return left.begin_ns < right.begin_ns;
                   });
}

// Lines are in order of time, but MindSpore keeps those of earlier recordings: from the end on each
// run takes the last line of its name that is left.
void RecordedFiles::read_shapes() {
  ms::CpuOpShapes shapes;
  for (const std::string_view line : split(shape_text_, '\n')) {
    if (ms::parse_cpu_op_shapes(line, shapes) && !shapes.name.empty()) shapes_.push_back(shapes);
  }
  std::unordered_map<std::string_view, std::vector<const ms::CpuOpShapes*>> left;
  for (const ms::CpuOpShapes& known : shapes_) left[without_scopes(known.name)].push_back(&known);
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    const auto found = left.find(without_scopes(run->name));
    if (found == left.end() || found->second.empty()) continue;
    run->shapes = found->second.back();
    found->second.pop_back();
  }
}

// Calls from Python run in the order in which they were made, and later than that. A run for which
// no call waits was made by compiled code.
void RecordedFiles::read_calls() {
  struct Call {
    std::int64_t time_ns;
    const ms::CpuOpShapes* shapes;
  };
  std::unordered_map<std::string_view, std::deque<Call>> waiting;
  for (const std::string_view line : split(call_text_, '\n')) {
    const std::vector<std::string_view> fields = split(line, ';');
    const auto time_ns = parse_number<std::int64_t>(fields[0]);
    if (fields.size() < 2 || !time_ns) continue;
    ms::CpuOpShapes& call = call_shapes_.emplace_back();
    call.name = fields[1];
    call.inputs.assign(fields.begin() + 2, fields.end());
    waiting[call.name].push_back({*time_ns, &call});
  }
  for (OperatorRun& run : runs_) {
    const auto found = waiting.find(run.name);
    if (run.shapes != nullptr || found == waiting.end() || found->second.empty()) continue;
    if (found->second.front().time_ns > run.begin_ns) continue;
    run.shapes = found->second.front().shapes;
    found->second.pop_front();
  }
}

// Here too rows of earlier recordings come again.
void RecordedFiles::read_memory(const RecordedTimes& times) {
  for (const std::string_view line : split(memory_text_, '\n')) {
    const auto row = ms::parse_cpu_memory(line);
    if (!row) continue;
    const std::int64_t time_ns = times.from_wall(row->time_ns);
    if (times.covers(time_ns)) {
      memory_.push_back(*row);
    } else if (time_ns < times.begin_ns) {
      allocated_before_ = row->allocated_bytes;
    }
  }
}

}  // namespace npuprof::mindspore_hooks
