#pragma once

#include <filesystem>
#include <span>

#include "answers/table.h"
#include "base/result.h"

namespace npuprof::report {

// A workbook (.xlsx) with a sheet for each table; a single one is called Sheet1, as other tools
// expect. Columns that ask for it have equal cells below one another merged.
Status write_workbook(const std::filesystem::path& path,
                      std::span<const answers::Table* const> tables);

}  // namespace npuprof::report
