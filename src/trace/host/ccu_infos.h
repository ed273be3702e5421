#pragma once

#include <array>
#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// What a record of the communication unit announces: a task for it, and of that task's instructions
// those that wait for other ranks or move data.
enum class CcuInfoKind : std::uint8_t { kTask, kWait, kTransfer };
using CcuChannelIds = std::array<std::uint16_t, 16>;
inline constexpr std::uint16_t kNoCcuChannel = 0xFFFF;

// What the host announced to the collective communication unit (chips 15, 16).
struct CcuInfos {
  NPUPROF_TABLE(CcuInfos);
  NPUPROF_COLUMN(std::uint8_t, kind);  // CcuInfoKind.
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint8_t, die);
  NPUPROF_COLUMN(std::uint16_t, instruction);
  NPUPROF_COLUMN(CcuChannelIds, channels);    // kNoCcuChannel = none; of waits and transfers.
  NPUPROF_COLUMN(std::uint32_t, mask);        // Of waits.
  NPUPROF_COLUMN(std::uint64_t, size_bytes);  // This and the following: of transfers.
  NPUPROF_COLUMN(std::uint8_t, reduce_op);    // 255 = data is only moved.
  NPUPROF_COLUMN(std::uint8_t, input_type);
  NPUPROF_COLUMN(std::uint8_t, output_type);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
