#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// What a Python function key means.
struct PythonNames {
  NPUPROF_TABLE(PythonNames);
  NPUPROF_COLUMN(std::uint64_t, key);
  // `file(line): function`, `Class######address`, or the repr of a C function.
  NPUPROF_COLUMN(Text, text);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
