#pragma once

#include <cstdint>
#include <vector>

#include "load/cann_host/decode.h"
#include "trace/host/api_calls.h"

namespace npuprof::load {

// Appends the calls of a collection; pairs of events become calls. The order is that of the files.
void decode_api_calls(DecodeContext& context, trace::ApiCalls& calls);

// Puts calls in the order that ApiCalls promises. Returns that order: new row i was row result[i].
std::vector<std::uint32_t> sort_api_calls(trace::ApiCalls& calls);

}  // namespace npuprof::load
