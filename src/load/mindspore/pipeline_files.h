#pragma once

#include <filesystem>
#include <vector>

#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What MindSpore's data pipeline told about itself, into the tables of
// trace/framework/pipeline_ops.h.
struct PipelinePaths {
  std::filesystem::path pipeline;  // Empty for what there is none of, as the others.
  std::filesystem::path cpu;
  std::filesystem::path device_queue;
  std::filesystem::path iterator;
};
void load_pipeline(const PipelinePaths& paths, trace::Trace& trace, trace::Losses& losses);

}  // namespace npuprof::load
