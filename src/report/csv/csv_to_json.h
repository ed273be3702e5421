#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace npuprof::report {

// Writes a table as JSON: an array with an object for each row, columns by name. Cells that are
// numbers become numbers, all others texts, without the tab behind times.
std::string csv_to_json(std::string_view csv);

// The same for files of an export: each "<stem><suffix>.csv" gives place to "<stem><suffix>.json",
// unless there is a timeline of that name.
Status csv_files_to_json(const std::filesystem::path& directory, std::string_view suffix);

}  // namespace npuprof::report
