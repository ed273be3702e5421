#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Operator ranges, step marks and user scopes.
struct FrameworkOps {
  NPUPROF_TABLE(FrameworkOps);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::int64_t, sequence);  // Autograd sequence number, -1 = none.
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(std::uint32_t, tid);
  // Of the thread that ran the forward operator, its id or its ordinal; 0 on forward operators.
  NPUPROF_COLUMN(std::uint32_t, forward_thread);
  NPUPROF_COLUMN(std::uint8_t, scope);  // format::framework::OpScope.
  NPUPROF_COLUMN(std::uint8_t, is_async);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(Text, input_dtypes);  // Tokens joined by ';'.
  NPUPROF_COLUMN(Text, input_shapes);  // Dimensions joined by ',', inputs by ';'.
  NPUPROF_COLUMN(Text, stack);         // Frames, innermost first, joined by ';'.
  NPUPROF_COLUMN(Text, module_hierarchy);
  NPUPROF_COLUMN(Text, extra_args);
  NPUPROF_COLUMN(Text, input_tensors);  // Tensor texts; the next two likewise raw.
  NPUPROF_COLUMN(Text, input_tensor_lists);
  NPUPROF_COLUMN(Text, input_scalars);
  // Whether dtypes and shapes were recorded: an empty shapes text can be real.
  NPUPROF_COLUMN(std::uint8_t, has_inputs);
  // Enclosing operator of the same thread, set by link; kNone at the top.
  NPUPROF_COLUMN(RowOf<FrameworkOps>, parent);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
