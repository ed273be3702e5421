#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "answers/table.h"
#include "base/result.h"

namespace npuprof::report {

// `head_overhead` is stored as HeadOverhead; names with capitals stay as they are.
std::string table_name(const answers::Table& table);

// Puts tables into a database, each in place of one of the same name; other tables of the database
// stay. Makes it if there is none. If anything fails, the database is as it was.
Status store_tables(const std::filesystem::path& database,
                    std::span<const answers::Table* const> tables);

}  // namespace npuprof::report
