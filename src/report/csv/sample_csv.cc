#include "report/csv/sample_csv.h"

#include <cmath>
#include <string>

#include "report/csv/cann_memory_csv.h"
#include "report/csv/ccu_csv.h"
#include "report/csv/core_csv.h"
#include "report/csv/kernel_counter_csv.h"
#include "report/csv/sample_summary.h"
#include "report/samples/sample_kinds.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using analyze::Samples;
using format::results::From;
using format::results::SampledCell;
using format::results::SampleFile;

void put_sample_cell(TextBuffer& out, const Samples& samples, std::size_t i,
                     const SampledCell& cell) {
  switch (cell.from) {
    case From::kDevice:
      out.integer(samples.device[i]);
      return;
    case From::kDeviceName:
      out.text("NPU:").integer(samples.device[i]);
      return;
    case From::kTime:
      out.microseconds(samples.time_ns[i]).character('\t');
      return;
    case From::kUnit:
      out.integer(samples.unit[i]);
      return;
    case From::kLabel:
    case From::kLowerLabel:
      out.csv(samples.labels[samples.label[i]]);
      return;
    case From::kValue: {
      const double value = samples.row(i)[cell.value];
      if (cell.shortest) {
        out.real(value < 0 ? value : value * cell.scale);
      } else {
        out.rounded(value < 0 ? value : value * cell.scale, 3);
      }
      return;
    }
  }
}

// A line per sample.
Status write_rows(const Samples& samples, const SampleFile& file, const CsvTarget& target,
                  ThreadPool& pool) {
  const std::span<const SampledCell> cells = file.cells;
  std::string header;
  for (const SampledCell& cell : cells) {
    if (!header.empty()) header += ',';
    header += cell.header;
  }
  return write_csv(
      target, file.name, header, samples.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          for (const SampledCell& cell : cells) {
            if (&cell != cells.data()) out.character(',');
            put_sample_cell(out, samples, i, cell);
          }
          out.text(target.line_end);
        }
      },
      pool);
}

}  // namespace

Status write_sample_files(const trace::Trace& trace, std::span<const Samples> samples,
                          const CsvTarget& target, ThreadPool& pool) {
  for (const Samples& table : samples) {
    const SampleDescription* description = find_sample_description(table.kind);
    if (description == nullptr || description->file.name.empty()) continue;
    NPUPROF_RETURN_IF_ERROR(write_rows(table, description->file, target, pool));
  }
  NPUPROF_RETURN_IF_ERROR(write_link_summaries(trace, samples, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_memory_summaries(samples, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_host_summaries(trace, samples, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_processor_summaries(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_cache_summaries(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_cache_counters(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_page_faults(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_aicpu(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_data_queues(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_ccu_missions(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_core_utilization(trace, target, pool));
  return write_cann_memory(trace, target, pool);
}

Status write_framework_sample_files(const trace::Trace& trace, std::span<const Samples> samples,
                                    const CsvTarget& target, ThreadPool& pool) {
  if (const Samples* modules = analyze::find_samples(samples, SampleKind::kModuleMemory)) {
    NPUPROF_RETURN_IF_ERROR(
        write_rows(*modules, format::results::samples::kFrameworkModuleMemoryFile, target, pool));
  }
  NPUPROF_RETURN_IF_ERROR(write_link_summaries(trace, samples, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_cache_counters(trace, target, pool));
  return write_data_preprocess(trace, target, pool);
}

Status write_mindspore_sample_files(const trace::Trace& trace, std::span<const Samples> samples,
                                    const CsvTarget& target, ThreadPool& pool) {
  if (const Samples* modules = analyze::find_samples(samples, SampleKind::kModuleMemory)) {
    const SampleDescription* description = find_sample_description(modules->kind);
    NPUPROF_RETURN_IF_ERROR(write_rows(*modules, description->file, target, pool));
  }
  NPUPROF_RETURN_IF_ERROR(write_link_summaries(trace, samples, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_memory_summaries(samples, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_cache_counters(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_static_memory(trace, target, pool));
  return write_data_preprocess(trace, target, pool);
}

}  // namespace npuprof::report
