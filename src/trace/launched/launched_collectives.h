#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct ApiCalls;
struct CollectiveInfos;

// One launch of a collective: a node-level call that launched communication tasks. In order of
// `api`, that is, of host time.
struct LaunchedCollectives {
  NPUPROF_TABLE(LaunchedCollectives);
  NPUPROF_COLUMN(RowOf<ApiCalls>, api);  // Node-level call in ApiCalls: start, end and thread.
  NPUPROF_COLUMN(Text, name);            // `hcom_allReduce_`, the text of the call's item.
  NPUPROF_COLUMN(Text, op_type);         // Empty = unknown, as at level 0.
  NPUPROF_COLUMN(RowOf<CollectiveInfos>, info);  // kNone = unknown.
  // Nested node-level call that launched the AI CPU, else kNone.
  NPUPROF_COLUMN(RowOf<ApiCalls>, kfc_api);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint32_t, model_id);
  NPUPROF_COLUMN(std::uint32_t, request_id);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
