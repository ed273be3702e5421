#pragma once

// What is read of a profile, and must not be written over.

#include <cstdint>
#include <filesystem>

#include "load/discover.h"

namespace npuprof::load {

// The size of the files that are read.
std::uint64_t input_bytes(const Profile& profile);

// Whether results at `place`, a file or a directory that is replaced as a whole, would lie among
// raw data or take away what is read.
bool is_in_the_way_of(const Profile& profile, const std::filesystem::path& place);

}  // namespace npuprof::load
