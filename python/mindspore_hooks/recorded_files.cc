#include "recorded_files.h"

#include <algorithm>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "format/mindspore/cpu_text.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/record_shapes.h"

namespace npuprof::mindspore_hooks {
namespace {

namespace fs = std::filesystem;
namespace ms = format::mindspore;

constexpr double kNsPerMs = 1e6;
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

// The host runs some operators by another name: MeanExt as ReduceMean, Max as ReduceMax.
std::string_view bare_name(std::string_view name) {
  constexpr std::string_view kReduce = "Reduce";
  constexpr std::string_view kExtended = "Ext";
  if (name.starts_with(kReduce)) name.remove_prefix(kReduce.size());
  if (name.ends_with(kExtended)) name.remove_suffix(kExtended.size());
  return name;
}

struct ToldInputs {
  std::string_view name;
  const OperatorInputs* inputs;
};

// To the runs of the same name in their order; to none if there were more or fewer.
void give_inputs(const std::vector<ToldInputs>& told, const std::vector<OperatorRun*>& runs) {
  std::unordered_set<std::string_view> told_names;
  std::unordered_set<std::string_view> run_names;
  for (const ToldInputs& each : told) told_names.insert(each.name);
  for (const OperatorRun* const run : runs) run_names.insert(run->name);

  struct SameName {
    std::vector<const OperatorInputs*> told;
    std::vector<OperatorRun*> runs;
  };
  using ByName = std::unordered_map<std::string_view, SameName>;
  ByName by_name;
  ByName by_bare_name;  // Of names that only one side has.
  const auto place = [&](std::string_view name, const auto& others) -> SameName& {
    return others.contains(name) ? by_name[name] : by_bare_name[bare_name(name)];
  };
  for (const ToldInputs& each : told) place(each.name, run_names).told.push_back(each.inputs);
  for (OperatorRun* const run : runs) place(run->name, told_names).runs.push_back(run);
  for (const ByName* const names : {&by_name, &by_bare_name}) {
    for (const auto& [name, same] : *names) {
      if (same.told.size() != same.runs.size()) continue;
      for (std::size_t i = 0; i < same.runs.size(); ++i) same.runs[i]->inputs = same.told[i];
    }
  }
}

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
      input_bytes_(content_of(directory / ms::kRecordShapesFile)),
      memory_text_(content_of_ranked(directory, ms::kCpuMemoryStem)) {
  read_ranges(times);
  read_runs(times);
  read_graph_inputs();
  read_pynative_inputs();
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
void RecordedFiles::read_graph_inputs() {
  std::unordered_map<std::string_view, std::vector<const OperatorInputs*>> left;
  ms::CpuOpShapes line_inputs;
  for (const std::string_view line : split(shape_text_, '\n')) {
    if (!ms::parse_cpu_op_shapes(line, line_inputs) || line_inputs.name.empty()) continue;
    inputs_.push_back({line_inputs.inputs, {}});
    left[without_scopes(line_inputs.name)].push_back(&inputs_.back());
  }
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    const auto found = left.find(without_scopes(run->name));
    if (found == left.end() || found->second.empty()) continue;
    run->inputs = found->second.back();
    found->second.pop_back();
  }
}

// Of operators of PyNative mode MindSpore tells the inputs in order of their runs, without a time.
void RecordedFiles::read_pynative_inputs() {
  std::vector<ToldInputs> told;
  const auto put = [&](const ms::RecordShapes& record) {
    OperatorInputs& inputs = inputs_.emplace_back();
    if (!record.types.empty()) {
      inputs = {split(record.shapes, ';'), split(record.types, ';')};
    }
    told.push_back({record.name, &inputs});
  };
  (void)format::framework::for_each_tlv_record<ms::RecordShapes>(as_bytes(input_bytes_), put);
  std::vector<OperatorRun*> runs;
  for (OperatorRun& run : runs_) {
    if (run.inputs == nullptr && run.name == without_scopes(run.name)) runs.push_back(&run);
  }
  give_inputs(told, runs);
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
