#pragma once

#include "base/result.h"
#include "base/thread_pool.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/parts.h"
#include "trace/trace.h"

namespace npuprof::load {

// Loads what the vendor's tools, or npuprof, made of a profile. A database is preferred: it holds
// what timeline and tables hold together, with exact numbers; only of it can parts be left out.
Result<trace::Trace> load_results(const Profile& profile, trace::Losses& losses, ThreadPool& pool,
                                  trace::Parts wanted = trace::Parts::all());

}  // namespace npuprof::load
