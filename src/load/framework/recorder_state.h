#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "format/framework/profiler_info.h"

namespace npuprof::load {

// What our recorder left of its state (format::framework::kRecorderStateFile), and whether it is
// still at work.
struct RecorderState {
  enum class Process : std::uint8_t { kRecords, kEnded, kUnknown };

  format::framework::ProfilerInfo::Recorder recorder;
  Process process = Process::kUnknown;
};

// Nothing if there is no such file: the recording is complete, or by another recorder.
std::optional<RecorderState> read_recorder_state(const std::filesystem::path& directory);

}  // namespace npuprof::load
