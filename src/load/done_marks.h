#pragma once

#include <filesystem>

#include "trace/losses.h"

namespace npuprof::load {

// When a file of a collection is complete, CANN leaves `<file>.done` beside it, which tells its
// size. Reports the files of a directory that are shorter than that or gone. Where one was cut
// between two records nothing else shows it. Marks that cannot be read, and files without one, are
// fine.
void check_done_marks(const std::filesystem::path& directory, trace::Losses& losses);

}  // namespace npuprof::load
