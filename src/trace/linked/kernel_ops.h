#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;
struct Tasks;

// Which framework operator launched which task: pairs sorted by operator, then task.
struct KernelOps {
  NPUPROF_TABLE(KernelOps);
  NPUPROF_COLUMN(PartOf<FrameworkOps>, op);
  NPUPROF_COLUMN(PartOf<Tasks>, task);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
