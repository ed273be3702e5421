#pragma once

// What is not there although other parts of the profile prove that it was.

#include "load/discover.h"
#include "load/recording_info.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// `told` by the recording itself, `trace` as it was loaded from raw data. Missing directories and
// files become losses, with the number of records that refer to them.
void report_missing_parts(const Profile& profile, const RecordingInfo& told,
                          const trace::Trace& trace, trace::Losses& losses);

}  // namespace npuprof::load
