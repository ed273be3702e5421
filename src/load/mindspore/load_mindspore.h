#pragma once

#include "load/discover.h"
#include "load/framework/load_framework.h"
#include "load/recording_info.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Loads what MindSpore wrote into a `*_ascend_ms` directory beside the CANN data: profiler_info,
// profiler_metadata and the files of FRAMEWORK/; of MindSpore 2.3 and 2.4 the table of host_info/
// and the data pipeline beside it. Fills the session and the tables of trace/framework/ that hold
// records, which must be empty. Missing files are fine; what cannot be read is added to `losses`.
// The result does not depend on the options.
void load_mindspore(const Profile& profile, const RecordingInfo& told, trace::Trace& trace,
                    trace::Losses& losses, const FrameworkLoadOptions& options = {});

// profiler_info and profiler_metadata alone.
void load_mindspore_session(const Profile& profile, const RecordingInfo& told,
                            trace::Session& session, trace::Losses& losses);

}  // namespace npuprof::load
