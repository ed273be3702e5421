#include "load/recording_info.h"

#include <utility>

#include "base/file.h"

namespace npuprof::load {

RecordingInfo read_recording_info(const Profile& profile) {
  RecordingInfo told;
  told.state = read_recorder_state(profile.path);
  if (profile.profiler_info.empty()) return told;
  auto text = read_file(profile.profiler_info);
  if (!text.ok()) {
    told.status = text.error();
    return told;
  }
  // Wherever it lies: results of MindSpore may have been copied.
  told.is_of_mindspore = profile.kind == ProfileKind::kMindSpore ||
                         text->find("\"ms_profiler_info\"") != std::string::npos;
  auto info = format::framework::parse_profiler_info(*text);
  if (!info.ok()) {
    told.status = info.error();
    return told;
  }
  told.info = std::move(*info);
  if (told.is_of_mindspore) {
    if (auto mindspore = format::mindspore::parse_profiler_info(*text); mindspore.ok()) {
      told.mindspore = std::move(*mindspore);
    }
  }
  told.text = std::move(*text);
  return told;
}

}  // namespace npuprof::load
