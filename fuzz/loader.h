#pragma once

// What the targets that load whole profiles share. A small simulated profile is written once; each
// input then changes one of its files and the profile is loaded, linked and thrown away.
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

// Writes the raw profile, once in a run. It is removed at the end, with what is beside it.
load::Profile simulated_profile();

class ChangedProfile {
 public:
  using Wanted = std::function<bool(const std::filesystem::path&)>;

  // Only files that `wanted` accepts are changed; it is asked with their paths in the profile.
  explicit ChangedProfile(const Wanted& wanted) { add(simulated_profile(), wanted); }
  // All files of several profiles are.
  explicit ChangedProfile(const std::vector<load::Profile>& profiles);

  // Changes a file as the input says, loads and links its profile, puts the file back.
  void run(const std::uint8_t* data, std::size_t size);

 private:
  struct File {
    std::filesystem::path path;
    std::string content;
    std::size_t profile;
  };
  void add(const load::Profile& profile, const Wanted& wanted);
  void add_file(const std::filesystem::path& path);

  std::vector<File> files_;
  std::vector<load::Profile> profiles_;
};

}  // namespace npuprof::fuzz
