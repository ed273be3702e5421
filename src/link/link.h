#pragma once

#include "base/thread_pool.h"
#include "trace/losses.h"
#include "trace/parts.h"
#include "trace/trace.h"

namespace npuprof::link {

// Runs all joins on a loaded trace, in the order in which they need each other. Tables of sources
// that were not recorded are empty, and so is what depends on them. The result is the same with any
// pool and without one. Raw marks and Python events are freed: their ranges have replaced them. Of
// a trace that was loaded from results only what those do not carry is joined. Parts that are not
// wanted are left as they are.
//
// Returns what one side of a join proves to be missing on the other, without names of files.
trace::Losses link_all(trace::Trace& trace, ThreadPool* pool,
                       trace::Parts wanted = trace::Parts::all());

}  // namespace npuprof::link
