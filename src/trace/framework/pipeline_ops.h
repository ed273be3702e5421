#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Operators of MindSpore's data pipeline, in order of their ids.
struct PipelineOps {
  static constexpr std::int64_t kNoQueue = -1;

  NPUPROF_TABLE(PipelineOps);
  NPUPROF_COLUMN(std::int64_t, id);
  NPUPROF_COLUMN(Text, type);  // "BatchOp"
  NPUPROF_COLUMN(std::int64_t, workers);
  NPUPROF_COLUMN(std::int64_t, queue_length);  // kNoQueue: it runs inside of another.
  NPUPROF_COLUMN(std::int64_t, sample_interval_ms);
  NPUPROF_COLUMN(RowOf<PipelineOps>, parent);  // Who takes what it makes; kNone = the last one.
  NPUPROF_TABLE_END();
};

// Samples of the length of an operator's queue, in order of time.
struct PipelineQueues {
  NPUPROF_TABLE(PipelineQueues);
  NPUPROF_COLUMN(PartOf<PipelineOps>, op);
  NPUPROF_COLUMN(std::int64_t, items);
  NPUPROF_TABLE_END();
};

// Samples of the processors that an operator used, in percent of one.
struct PipelineCpus {
  NPUPROF_TABLE(PipelineCpus);
  NPUPROF_COLUMN(PartOf<PipelineOps>, op);
  NPUPROF_COLUMN(std::int64_t, user_percent);
  NPUPROF_COLUMN(std::int64_t, system_percent);
  NPUPROF_TABLE_END();
};

// What the consumer of the pipeline noted for each batch; format::mindspore::PipelineTrace.
struct PipelineBatches {
  NPUPROF_TABLE(PipelineBatches);
  NPUPROF_COLUMN(std::int64_t, batch);  // From 1.
  NPUPROF_COLUMN(std::uint8_t, kind);
  NPUPROF_COLUMN(std::int64_t, extra);
  NPUPROF_COLUMN(std::int64_t, value);
  NPUPROF_COLUMN(std::int64_t, stamp_ms);         // From any begin.
  NPUPROF_COLUMN(std::uint8_t, is_device_queue);  // By who feeds the device, not who iterates.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
