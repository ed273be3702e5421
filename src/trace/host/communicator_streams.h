#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Streams on which the AI CPU runs a communicator's tasks, one row per stream.
struct CommunicatorStreams {
  NPUPROF_TABLE(CommunicatorStreams);
  NPUPROF_COLUMN(Text, group);
  NPUPROF_COLUMN(std::uint64_t, group_hash);
  NPUPROF_COLUMN(std::uint32_t, rank_size);
  NPUPROF_COLUMN(std::uint32_t, rank);
  NPUPROF_COLUMN(std::uint32_t, user_rank);
  NPUPROF_COLUMN(std::uint32_t, kernel_stream);
  NPUPROF_COLUMN(std::uint32_t, stream);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
