#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;

// Forward operator and the backward operator of the same autograd sequence number.
struct ForwardBackward {
  NPUPROF_TABLE(ForwardBackward);
  NPUPROF_COLUMN(std::int64_t, sequence);
  NPUPROF_COLUMN(PartOf<FrameworkOps>, forward);
  NPUPROF_COLUMN(PartOf<FrameworkOps>, backward);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
