#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;

// What MindSpore says of an operator beside what all frameworks say: one row for each of
// FrameworkOps, in the same order. PyTorch has none.
struct MindSporeOps {
  NPUPROF_TABLE(MindSporeOps);
  NPUPROF_COLUMN(PartOf<FrameworkOps>, op);
  NPUPROF_COLUMN(std::uint64_t, flow);  // See FlowMarks; ~0 = none.
  NPUPROF_COLUMN(Text, module);         // "Kernel", "Dataset"
  NPUPROF_COLUMN(Text, event);          // "KernelLaunch", "Batch"
  NPUPROF_COLUMN(Text, brief_name);     // "MatMul" of Default/MatMul-op0.
  NPUPROF_COLUMN(Text, custom_info);    // "key:value" joined by ';'.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
