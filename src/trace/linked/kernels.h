#pragma once

#include <cstdint>

#include "trace/linked/op_state.h"
#include "trace/table.h"

namespace npuprof::trace {

struct PmuRecords;
struct Tasks;

// Where a kernel is listed. Kernels inside a collective are part of it, AI CPU kernels that drive
// one are schedule kernels, and write-back and invalidation of caches are shown nowhere.
enum class KernelKind : std::uint8_t { kCompute, kCommunication, kSchedule, kHidden };

// Operators that ran as kernels: rows of op_summary without the collectives, for kind kCompute.
// Same order as their tasks.
struct Kernels {
  NPUPROF_TABLE(Kernels);
  NPUPROF_COLUMN(PartOf<Tasks>, task);
  NPUPROF_COLUMN(std::uint8_t, kind);  // KernelKind.
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(Text, op_type);           // Empty at level 0.
  NPUPROF_COLUMN(Text, task_type);         // AI_CORE, MIX_AIC, ...; empty at level 0.
  NPUPROF_COLUMN(std::uint8_t, op_state);  // OpState.
  NPUPROF_COLUMN(std::uint32_t, block_num);
  NPUPROF_COLUMN(std::uint32_t, mix_block_num);
  NPUPROF_COLUMN(std::uint8_t, hf32);  // 0 no, 1 yes, 2 unknown.
  NPUPROF_COLUMN(Text, input_shapes);
  NPUPROF_COLUMN(Text, input_dtypes);
  NPUPROF_COLUMN(Text, input_formats);
  NPUPROF_COLUMN(Text, output_shapes);
  NPUPROF_COLUMN(Text, output_dtypes);
  NPUPROF_COLUMN(Text, output_formats);
  NPUPROF_COLUMN(Text, attributes);
  NPUPROF_COLUMN(RowOf<PmuRecords>, pmu);        // Main PmuRecords row, kNone = none.
  NPUPROF_COLUMN(RowOf<PmuRecords>, slave_pmu);  // Slave row of a MIX kernel.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
