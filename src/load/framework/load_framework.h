#pragma once

#include <cstddef>

#include "base/thread_pool.h"
#include "load/discover.h"
#include "load/recording_info.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

struct FrameworkLoadOptions {
  ThreadPool* pool = nullptr;  // Without one everything runs on the calling thread.
  // Files are decoded in parts of this size: large enough that merging their strings is cheap
  // beside decoding, small enough to share out.
  std::size_t part_bytes = std::size_t{16} << 20;
};

// Loads what the framework wrote into a `*_ascend_pt` directory: profiler_info, profiler_metadata
// and the files of FRAMEWORK/. Fills the session and the tables of trace/framework/ that hold
// records (not those that link makes), which must be empty. Missing files are fine; what cannot be
// read is added to `losses`. The result does not depend on the options.
void load_framework(const Profile& profile, const RecordingInfo& told, trace::Trace& trace,
                    trace::Losses& losses, const FrameworkLoadOptions& options = {});

}  // namespace npuprof::load
