#pragma once

#include <filesystem>

#include "base/result.h"

namespace npuprof::report {

// Writes README.txt: a sentence about each result file in `directory`, in the order of names.
Status write_readme(const std::filesystem::path& directory);

}  // namespace npuprof::report
