#pragma once

#include <string>

#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Where the tables of a trace come from.
struct TraceSources {
  std::string framework;
  std::string host;
  std::string device;
};

// Rows that end before they begin are damage that shows where they began at least: they get no
// duration, and the user is told how many there are. After this no interval of a trace is negative.
void mend_backward_rows(trace::Trace& trace, const TraceSources& sources, trace::Losses& losses);

}  // namespace npuprof::load
