#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// By row of Tasks: the operator of MindSpore that launched it, kNone where that is not known. Empty
// for profiles of others.
std::vector<std::uint32_t> mindspore_launches(const trace::Trace& trace);

}  // namespace npuprof::analyze
