#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct ApiCalls;

// Collectives, sorted by (device, start).
struct CollectiveOps {
  NPUPROF_TABLE(CollectiveOps);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(Text, name);  // Unique name: `hcom_allReduce__967_0_1`.
  NPUPROF_COLUMN(Text, type);  // `hcom_allReduce_`; empty at level 0.
  NPUPROF_COLUMN(RowOf<ApiCalls>, api);
  NPUPROF_COLUMN(Text, group);       // Decimal hash of the group name.
  NPUPROF_COLUMN(Text, group_name);  // The group's own name when known.
  NPUPROF_COLUMN(std::uint8_t, relay);
  NPUPROF_COLUMN(std::uint8_t, retry);
  NPUPROF_COLUMN(std::uint32_t, data_type);  // kNone = unknown.
  NPUPROF_COLUMN(Text, algorithm);
  NPUPROF_COLUMN(std::uint64_t, count);
  NPUPROF_COLUMN(std::uint32_t, rank_size);
  NPUPROF_COLUMN(std::uint32_t, model_id);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
