#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Chips 15 and 16 log tasks without their stream. Task ids do not repeat there, so the launch with
// the same id knows it, and for tasks that the AI CPU put on streams its own records do. The same
// goes for counters, blocks of kernels and missions of the communication unit.
void fill_missing_streams(trace::Trace& trace);

}  // namespace npuprof::link
