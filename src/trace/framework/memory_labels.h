#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct MemoryEvents;

// What MindSpore says of an event of its memory pool beside what all frameworks say.
struct MemoryLabels {
  NPUPROF_TABLE(MemoryLabels);
  NPUPROF_COLUMN(PartOf<MemoryEvents>, event);
  NPUPROF_COLUMN(Text, owner);         // Full name of the operator that has the block.
  NPUPROF_COLUMN(std::uint8_t, type);  // format::mindspore::MemoryType.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
