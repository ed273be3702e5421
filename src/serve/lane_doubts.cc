#include "serve/lane_doubts.h"

#include <algorithm>
#include <array>
#include <span>

namespace npuprof::serve {
namespace {

// Parts of the names of files, raw ones and tables of results.
struct LayerSources {
  std::string_view layer;
  std::array<std::string_view, 8> files;
};
constexpr LayerSources kSources[] = {
    {"Python", {"torch.op_range", "torch.op_mark", "PYTORCH_API", "op_range"}},
    {"CANN", {"api_event", "CANN_API", "event_record"}},
    {"Ascend Hardware",
     {"stars_soc", "hwts", "ts_track", "task_track", "ffts_profile", "node_basic_info",
      "COMPUTE_TASK_INFO", "no task on the device"}},
    {"Communication", {"stars_soc", "hccl", "mc2", "COMMUNICATION", "task_track"}},
    {"Overlap Analysis", {"stars_soc", "hwts", "ts_track", "OVERLAP_ANALYSIS"}},
    {"Idle Causes", {"stars_soc", "hwts", "ts_track", "api_event", "op_range"}},
    {"Python GC", {"torch.gc", "gc_record"}},
    {"MindSpore", {"mindspore.op_range", "op_range"}},
};
constexpr std::string_view kPythonFiles[] = {"python_tracer", "torch.python", "PYTHON"};

bool names_any(std::string_view loss, std::span<const std::string_view> files) {
  return std::any_of(files.begin(), files.end(), [&](std::string_view file) {
    return !file.empty() && loss.find(file) != std::string_view::npos;
  });
}

std::span<const std::string_view> files_of(std::string_view layer, bool is_python) {
  if (is_python) return kPythonFiles;
  for (const LayerSources& sources : kSources) {
    if (sources.layer == layer) return sources.files;
  }
  return {};
}

}  // namespace

std::string_view doubt_of_layer(std::string_view layer, bool is_python,
                                const std::vector<std::string>& losses) {
  const auto files = files_of(layer, is_python);
  const auto found = std::find_if(losses.begin(), losses.end(),
                                  [&](const std::string& loss) { return names_any(loss, files); });
  return found == losses.end() ? std::string_view() : std::string_view(*found);
}

}  // namespace npuprof::serve
