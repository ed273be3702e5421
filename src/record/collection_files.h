#pragma once

// Names and small files that every collection has.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace npuprof::record {

// Local time as names of directories have it, YYYYMMDDhhmmssmmm, and as start_info has it,
// YYYY-MM-DD hh:mm:ss.uuuuuu.
std::string prof_name_time(std::int64_t wall_us);
std::string collection_date(std::int64_t wall_us);
// Eight letters A..R for the name of a PROF_* directory, from random bits.
std::string prof_name_letters(std::uint64_t bits);

// "{worker}_{pid}_{YYYYmmddHHMMSSmmm}_ascend_pt", the directory of one process's profile.
std::string ascend_pt_name(std::string_view worker, std::uint64_t process_id, std::int64_t wall_us);

// Writes a control file of a PROF_* directory and, when it is there, the `.done` that says so.
Status write_control_file(const std::filesystem::path& path, std::string_view content);

// Writes a small file under another name first, so that readers see the old or the new content,
// whole.
Status replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace npuprof::record
