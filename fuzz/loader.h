#pragma once

// What the targets that load whole profiles share. Small simulated profiles are written once; each
// input then changes one of their files, and that profile is loaded, linked and thrown away.
//
// Layout of an input:
//   byte 0     which file (modulo their number)
//   byte 1     bit 0: the data takes the place of the whole file; else it is written over the
//              file's own bytes. bit 1: the file ends behind the data
//   byte 2, 3  where the data goes in the file, little end first (modulo its size; in steps that
//              reach all of a larger one)
//   byte 4...  the data

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "load/discover.h"

namespace npuprof::fuzz {

// Writes raw profiles, once in a run: all kinds of files that the simulator knows are in one of
// them. They are removed at the end.
std::vector<load::Profile> simulated_profiles();
// Where these are, and other files may be put.
const std::filesystem::path& scratch_directory();

class ChangedProfile {
 public:
  using Wanted = std::function<bool(const std::filesystem::path&)>;

  // Only files that `wanted` accepts are changed; it is asked with their paths in the profile.
  ChangedProfile(const std::vector<load::Profile>& profiles, const Wanted& wanted);

  // Changes a file as the input says, loads and links its profile, puts the file back.
  void run(const std::uint8_t* data, std::size_t size);

 private:
  struct File {
    std::filesystem::path path;
    std::string content;
    std::size_t profile;
  };
  void add_file(const std::filesystem::path& path, std::size_t profile);

  std::vector<File> files_;
  std::vector<load::Profile> profiles_;
};

}  // namespace npuprof::fuzz
