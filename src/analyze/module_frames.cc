#include "analyze/module_frames.h"

namespace npuprof::analyze {

std::optional<std::string_view> module_of_frame(std::string_view frame) {
  constexpr std::string_view kPyTorch = "nn.Module: ";
  constexpr std::string_view kMindSpore = "):nn.Cell.";
  if (frame.starts_with(kPyTorch)) return frame.substr(kPyTorch.size());
  const std::size_t cell = frame.find(kMindSpore);
  if (cell == std::string_view::npos) return std::nullopt;
  const std::string_view name = frame.substr(cell + kMindSpore.size());
  return name.substr(0, name.rfind('.'));
}

}  // namespace npuprof::analyze
