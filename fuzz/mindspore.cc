// The files of MindSpore: records of FRAMEWORK, texts of programs on the CPU, the data pipeline,
// profiler_info.

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "format/framework/tlv.h"
#include "format/mindspore/cpu_text.h"
#include "format/mindspore/data_pipeline.h"
#include "format/mindspore/host_info.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/op_range.h"
#include "format/mindspore/profiler_info.h"
#include "format/mindspore/record_shapes.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::mindspore;
using format::framework::append;
using format::framework::for_each_tlv_record;
using format::framework::TlvRecord;
using format::framework::TlvReport;

// A decoded record, encoded again, decodes to the same bytes.
template <TlvRecord T, typename Visit>
void decode_records(Bytes data, Visit&& visit) {
  const TlvReport report = for_each_tlv_record<T>(data, [&](const T& record) {
    std::vector<std::byte> first;
    append(record, first);
    std::vector<std::byte> second;
    for_each_tlv_record<T>(first, [&](const T& again) { append(again, second); });
    require(first == second);
    visit(record);
  });
  use(report.records);
  if (report.truncated_at) require(*report.truncated_at < data.size());
}

void ranges(Bytes data) {
  decode_records<OpRange>(data, [](const OpRange& record) {
    std::string name;
    append_event_name(name, record);
    use(name);
    use(brief_name(record.full_name));
    use(is_launch_name(name));
    use(is_mark_name(name));
    use(split_event_name(name).full_name);
  });
}

void blocks(Bytes data) {
  decode_records<MemoryUsage>(data, [](const MemoryUsage& record) {
    use(record.fixed.memory_type());
    use(record.fixed.is_release());
    use(record.owner);
  });
}

void shapes(Bytes data) {
  decode_records<RecordShapes>(data, [](const RecordShapes& record) {
    use(record.shapes);
    use(record.types);
  });
}

template <typename Visit>
void for_each_line(Bytes data, Visit visit) {
  for (const std::string_view line : split(as_text(data), '\n')) visit(line);
}

// What was read and written again is read as the same text.
template <typename Parse, typename Append>
void check_line(std::string_view line, Parse parse, Append append_record) {
  const auto record = parse(line);
  if (!record) return;
  std::string text;
  append_record(text, *record);
  const auto again = parse(text);
  if (!again) return;  // Numbers with six digits may not be numbers any more.
  std::string second;
  append_record(second, *again);
  require(text == second);
}

void cpu_lines(Bytes data) {
  CpuOpTimes times;
  CpuOpShapes inputs;
  std::uint64_t bad_runs = 0;
  for_each_line(data, [&](std::string_view line) {
    if (parse_cpu_op_times(line, times, bad_runs)) use(times.runs.size());
    if (parse_cpu_op_shapes(line, inputs)) use(inputs.inputs.size());
    check_line(line, parse_cpu_memory, append_cpu_memory);
  });
  use(bad_runs);
}

void host_lines(Bytes data) {
  for_each_line(data, [](std::string_view line) {
    check_line(line, parse_host_info, append_host_info);
    check_line(line, parse_pipeline_trace, append_pipeline_trace);
  });
}

template <typename Parse>
void check_json(Bytes data, Parse parse) {
  const auto file = parse(as_text(data));
  if (!file.ok()) return;
  const auto again = parse(std::string_view(to_json(*file)));
  require(again.ok() && *again == *file);
}

void pipelines(Bytes data) { check_json(data, parse_pipeline); }
void pipeline_cpus(Bytes data) { check_json(data, parse_pipeline_cpu); }
void infos(Bytes data) {
  const auto info = parse_profiler_info(as_text(data));
  if (!info.ok()) return;
  use(to_json(*info));
  use(op_range_clock({}, *info).wall_ns(1'000'000));
}

constexpr Decoder kDecoders[] = {ranges,     blocks,    shapes,        cpu_lines,
                                 host_lines, pipelines, pipeline_cpus, infos};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
