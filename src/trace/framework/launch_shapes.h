#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;

// Inputs of launches of MindSpore, in order of recording. They have no time: which operator it was
// follows from the name and the order.
struct LaunchShapes {
  NPUPROF_TABLE(LaunchShapes);
  NPUPROF_COLUMN(Text, name);               // Brief, see MindSporeOps.
  NPUPROF_COLUMN(Text, shapes);             // Dimensions joined by ',', inputs by ';'.
  NPUPROF_COLUMN(Text, types);              // Joined by ';'.
  NPUPROF_COLUMN(RowOf<FrameworkOps>, op);  // Set by link; kNone = not known.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
