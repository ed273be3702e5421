#pragma once

// What frames of Python tell of modules.

#include <optional>
#include <string_view>

namespace npuprof::analyze {

// The name of the module whose call a frame is: "Linear" of "nn.Module: Linear", and of MindSpore's
// "cell.py(12):nn.Cell.Linear.__call__". Nothing for other frames.
std::optional<std::string_view> module_of_frame(std::string_view frame);

}  // namespace npuprof::analyze
