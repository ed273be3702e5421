#pragma once

#include "base/result.h"
#include "base/thread_pool.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/parts.h"
#include "trace/trace.h"

namespace npuprof::load {

// Loads all raw data of one profile: the framework's, CANN's of the host, CANN's of the devices;
// or, if there is none, the results that were made of it. Fails only if there is nothing to load;
// what is damaged or missing is in the losses. Of results only the wanted parts are read; raw data
// is always read as a whole.
Result<trace::Trace> load_profile(const Profile& profile, ThreadPool& pool, trace::Losses& losses,
                                  trace::Parts wanted = trace::Parts::all());

}  // namespace npuprof::load
