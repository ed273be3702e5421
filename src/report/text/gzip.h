#pragma once

#include <filesystem>

#include "base/result.h"

namespace npuprof::report {

// Compresses a file into another one in the form of gzip. The same content gives the same bytes.
Status gzip_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace npuprof::report
