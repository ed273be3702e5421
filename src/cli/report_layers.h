#pragma once

#include <filesystem>

#include "base/result.h"
#include "report/timeline/context.h"

namespace npuprof::cli {

// The layers that a file for msprof's --reports switches off: {"json_process": {"hbm": false}}.
// Content that is not of this form switches off nothing, with a warning; an error if the file
// cannot be read.
Result<report::LayerNames> read_hidden_layers(const std::filesystem::path& path);

}  // namespace npuprof::cli
