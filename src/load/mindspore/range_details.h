#pragma once

#include <string_view>

#include "trace/trace.h"

namespace npuprof::load {

// Adds what MindSpore says of the operator that was added last, from the name that results show.
void append_range_details(std::string_view custom_info, trace::Trace& trace);

// Notes that work was handed on at a time of a thread, and the operator that took it up.
void append_flow(std::uint64_t flow, std::int64_t time_ns, std::uint32_t pid, std::uint32_t tid,
                 std::uint32_t to_op, trace::Trace& trace);

}  // namespace npuprof::load
