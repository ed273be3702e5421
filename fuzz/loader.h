#pragma once

// What the targets that load whole profiles share. A small simulated profile is written once; each
// input then changes one of its files and the profile is loaded, linked and thrown away.
//
// Layout of an input:
//   byte 0     which file (modulo their number)
//   byte 1     bit 0: the data takes the place of the whole file; else it is written over the
//   file's
//              own bytes. bit 1: the file ends behind the data
//   byte 2, 3  where the data goes in the file, little end first (modulo its size)
//   byte 4...  the data

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "load/discover.h"

namespace npuprof::fuzz {

class ChangedProfile {
 public:
  // Only files that `wanted` accepts are changed.
  explicit ChangedProfile(const std::function<bool(const std::filesystem::path&)>& wanted);

  // Changes a file as the input says, loads and links the profile, puts the file back.
  void run(const std::uint8_t* data, std::size_t size);

 private:
  struct File {
    std::filesystem::path path;
    std::string content;
  };
  std::vector<File> files_;
  load::Profile profile_;
};

}  // namespace npuprof::fuzz
