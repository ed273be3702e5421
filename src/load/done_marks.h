#pragma once

#include <cstdint>
#include <filesystem>

#include "trace/losses.h"

namespace npuprof::load {

// When a file of a collection is complete, CANN leaves `<file>.done` beside it, which tells its
// size. Reports the files of a directory that are shorter than that or gone. Where one was cut
// between two records nothing else shows it. Marks that cannot be read, and files without one, are
// fine.
void check_done_marks(const std::filesystem::path& directory, trace::Losses& losses);

bool has_done_mark(const std::filesystem::path& file);

// How many bytes a file that has `size` now has lost since its mark was made; 0 if it has no mark.
std::uint64_t bytes_lost_at_end(const std::filesystem::path& file, std::uint64_t size);

}  // namespace npuprof::load
