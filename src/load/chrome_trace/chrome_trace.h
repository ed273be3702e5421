#pragma once

#include <filesystem>
#include <span>

#include "base/result.h"
#include "base/thread_pool.h"
#include "load/timeline_origin.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Loads a timeline in the format of Chrome's trace viewer, plain or gzip: trace_view.json,
// msprof_*.json (the slices of one export are given together), or one that PyTorch's profiler wrote
// on a GPU. Fills the tables of framework/, host/ and linked/ as far as the events say,
// with the joins that their numbers and arrows carry; the trace must be empty but for its session.
// The result does not depend on the pool.
//
// Fails if none of the files is a timeline; what is damaged is added to `losses`.
Status load_chrome_trace(std::span<const std::filesystem::path> paths, trace::Trace& trace,
                         trace::Losses& losses, ThreadPool& pool,
                         const TimelineOrigin& origin = {});

}  // namespace npuprof::load
