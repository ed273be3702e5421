#pragma once

// The records of mindspore.op_range, memory_usage and record_shapes.

#include <memory>

#include "load/framework/record_tables.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/memory_events.h"
#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::load {

// mindspore.op_range has ranges, frames of Python and flows in one file: they are read into this
// table and then shared out.
struct MindSporeRecords {
  enum Kind : std::uint8_t { kRange, kFrame, kFlow, kUnbegun };

  NPUPROF_TABLE(MindSporeRecords);
  NPUPROF_COLUMN(trace::Time, start_ns);
  NPUPROF_COLUMN(trace::Time, end_ns);
  NPUPROF_COLUMN(std::uint64_t, flow);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint8_t, kind);
  NPUPROF_COLUMN(trace::Text, name);  // As results show it.
  NPUPROF_COLUMN(trace::Text, brief_name);
  NPUPROF_COLUMN(trace::Text, module);
  NPUPROF_COLUMN(trace::Text, event);
  NPUPROF_COLUMN(trace::Text, custom_info);
  NPUPROF_TABLE_END();
};

// Records of mindspore.memory_usage: what becomes rows of two tables.
struct MindSporeBlocks {
  NPUPROF_TABLE(MindSporeBlocks);
  NPUPROF_COLUMN(trace::Time, time_ns);
  NPUPROF_COLUMN(std::uint64_t, address);
  NPUPROF_COLUMN(std::uint64_t, block_bytes);  // format::mindspore::kReleased for releases.
  NPUPROF_COLUMN(std::int64_t, used_bytes);
  NPUPROF_COLUMN(std::int64_t, reserved_bytes);
  NPUPROF_COLUMN(std::int64_t, stream);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(std::int8_t, device);
  NPUPROF_COLUMN(std::uint8_t, type);
  NPUPROF_COLUMN(trace::Text, owner);
  NPUPROF_TABLE_END();
};

std::unique_ptr<FileJob> mindspore_range_job(RawFile file, const JobSettings& settings,
                                             MindSporeRecords& table);
std::unique_ptr<FileJob> mindspore_memory_job(RawFile file, const JobSettings& settings,
                                              MindSporeBlocks& table);
std::unique_ptr<FileJob> mindspore_shapes_job(RawFile file, const JobSettings& settings,
                                              trace::LaunchShapes& table);

// Ranges become rows of FrameworkOps and MindSporeOps, frames of PythonCalls, flows of FlowMarks.
void share_out(const MindSporeRecords& records, std::uint32_t pid, trace::Trace& trace);
// Releases get the size of the block that they release.
void share_out(const MindSporeBlocks& blocks, trace::Trace& trace);

}  // namespace npuprof::load
