#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "format/framework/profiler_info.h"
#include "format/mindspore/profiler_info.h"
#include "load/discover.h"
#include "load/framework/recorder_state.h"

namespace npuprof::load {

// What a recording says of itself, read once for all who need it: clocks come before everything
// else, and what must have been recorded is looked for at the end.
struct RecordingInfo {
  // Read before profiler_info, so that a recorder that completes its files meanwhile is not taken
  // for one that died.
  std::optional<RecorderState> state;
  Status status = ok_status();  // Why there is nothing below. A profile may have no profiler_info.
  std::string text;             // Of profiler_info.
  std::optional<format::framework::ProfilerInfo> info;
  bool is_of_mindspore = false;  // Even of a text that is damaged.
  std::optional<format::mindspore::ProfilerInfo> mindspore;
};

RecordingInfo read_recording_info(const Profile& profile);

}  // namespace npuprof::load
