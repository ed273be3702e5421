#pragma once

// Results appear whole or not at all. They are made in a directory beside their place, which they
// take in one step when they are complete; a process that dies leaves what was there before, and a
// directory that the next one removes.
//
// That directory holds all that a process has to remove:
//
//     npuprof.partial-<process>/   locked as long as its maker lives
//         made-by-npuprof          the name of the place; made under the lock, removed last
//         new/                     results in the making
//         old/                     what was at the place, where two directories cannot be exchanged
//
// Only a directory with the mark in it that nobody has locked is removed. As the mark is made under
// the lock, its maker is dead then; a directory that somebody else gave such a name has no mark.
// Before there is a mark, an unusual mode says whose it is, and only an empty one is removed: its
// maker, should it live, makes another.

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace npuprof::report {

class PendingOutput {
 public:
  // Removes what dead processes left beside the place. Fails if something is there that is not of
  // the same kind, be it a link to such.
  static Result<PendingOutput> directory_at(const std::filesystem::path& place);
  static Result<PendingOutput> file_at(const std::filesystem::path& place);
  // In the folder for temporary files, for what is copied and not published.
  static Result<PendingOutput> temporary_file(const std::string& name);

  PendingOutput(PendingOutput&& other) noexcept;
  PendingOutput& operator=(PendingOutput&&) = delete;
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  ~PendingOutput();  // Removes everything that was not published.

  // The directory to write into; of a file, it is the one with the name of its place that counts.
  const std::filesystem::path& path() const { return new_; }
  std::filesystem::path file() const { return new_ / place_.filename(); }

  // Takes the place of what is there. To be called once.
  Status publish();

 private:
  enum class Kind : std::uint8_t { kDirectory, kFile };

  PendingOutput(std::filesystem::path place, Kind kind) : place_(std::move(place)), kind_(kind) {}
  static Result<PendingOutput> create(const std::filesystem::path& place, Kind kind);
  Status check_place() const;
  Status make_in(const std::filesystem::path& folder);
  Result<bool> claim();
  Status put_directory_in_place();
  Error cannot_put(int errno_value) const;

  std::filesystem::path place_;
  Kind kind_;
  std::filesystem::path own_;  // Empty = nothing to remove.
  std::filesystem::path new_;
  int lock_ = -1;  // Says that this process lives.
};

}  // namespace npuprof::report
