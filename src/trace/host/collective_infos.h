#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Description of a collective launch.
struct CollectiveInfos {
  NPUPROF_TABLE(CollectiveInfos);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint8_t, relay);
  NPUPROF_COLUMN(std::uint8_t, retry);
  NPUPROF_COLUMN(std::uint8_t, data_type);
  NPUPROF_COLUMN(Text, algorithm);
  NPUPROF_COLUMN(std::uint64_t, count);
  NPUPROF_COLUMN(std::uint64_t, group_hash);
  NPUPROF_COLUMN(Text, group);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
