#pragma once

// The raw files of `device_<N>/data`. A file is written in slices, which may be cut inside a
// record; when disk space is limited the oldest slices are deleted.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "format/record.h"
#include "trace/losses.h"

namespace npuprof::load {

// All slices of one kind of file.
class DeviceFile {
 public:
  struct Slice {
    std::filesystem::path path;
    std::uint32_t number = 0;
    MappedFile file;
  };

  // `slices` in order of their numbers.
  explicit DeviceFile(std::vector<Slice> slices) : slices_(std::move(slices)) {}
  DeviceFile() = default;

  std::size_t size_bytes() const;
  bool empty() const { return size_bytes() == 0; }

  // 0 if there is none.
  char first_byte() const;
  // The slices as one text.
  std::string text() const;

  // Path of the first slice, to name the file in a message.
  std::string name() const { return slices_.empty() ? "" : slices_.front().path.string(); }

  // Calls `visit(record)` for each record, across slice boundaries. `visit` returns false for a
  // record that is not one; these are counted and reported. `plausible(record)` is asked where the
  // size leaves open at which end of the file a part of a record is missing.
  template <format::Record T, typename Plausible, typename Visit>
  void for_each_record(trace::Losses& losses, Plausible&& plausible, Visit&& visit) const {
    report_missing_slices(losses);
    for (const Run& run : runs()) {
      const std::vector<Bytes> bytes = bytes_of(run);
      const std::size_t total = size_of(bytes);
      const std::size_t leftover = total % sizeof(T);
      const auto end = leftover == 0 ? format::Leftover::kAtBegin : choose_end<T>(bytes, plausible);
      if (leftover != 0) report_leftover(run, end, leftover, sizeof(T), losses);
      BadRecords bad;
      std::size_t offset = end == format::Leftover::kAtBegin ? leftover : 0;
      format::for_each_record<T>(bytes, end, [&](const T& record) {
        if (!visit(record)) bad.add(offset);
        offset += sizeof(T);
      });
      report_bad(run, bad, losses);
    }
  }

  template <format::Record T, typename Visit>
  void for_each_record(trace::Losses& losses, Visit&& visit) const {
    for_each_record<T>(
        losses, [](const T&) { return true; }, std::forward<Visit>(visit));
  }

 private:
  // Slices with consecutive numbers.
  struct Run {
    std::size_t first;
    std::size_t last;
  };
  struct BadRecords {
    std::uint64_t count = 0;
    std::size_t first_offset = 0;
    void add(std::size_t offset) {
      if (count++ == 0) first_offset = offset;
    }
  };

  std::vector<Run> runs() const;
  std::vector<Bytes> bytes_of(const Run& run) const;
  static std::size_t size_of(const std::vector<Bytes>& slices);
  void report_missing_slices(trace::Losses& losses) const;
  void report_leftover(const Run& run, format::Leftover end, std::size_t bytes,
                       std::size_t record_bytes, trace::Losses& losses) const;
  void report_bad(const Run& run, const BadRecords& bad, trace::Losses& losses) const;
  // The slice that holds byte `offset` of a run, and where in it.
  std::pair<std::string, std::uint64_t> locate(const Run& run, std::size_t offset) const;

  // Records normally lack their first part, because older slices were deleted; but the writer may
  // also have been killed inside the last one. The first records tell.
  template <format::Record T, typename Plausible>
  static format::Leftover choose_end(const std::vector<Bytes>& slices, Plausible&& plausible) {
    constexpr std::size_t kLookedAt = 16;
    const auto count_plausible = [&](format::Leftover end) {
      std::size_t seen = 0;
      std::size_t good = 0;
      format::for_each_record<T>(slices, end, [&](const T& record) {
        if (seen++ < kLookedAt && plausible(record)) ++good;
      });
      return good;
    };
    return count_plausible(format::Leftover::kAtEnd) > count_plausible(format::Leftover::kAtBegin)
               ? format::Leftover::kAtEnd
               : format::Leftover::kAtBegin;
  }

  std::vector<Slice> slices_;
};

// The files of one device by base name ("stars_soc.data"). Files are mapped when asked for.
class DeviceFiles {
 public:
  // Lists `<device_directory>/data`. A directory that cannot be read counts as empty and is
  // reported.
  DeviceFiles(const std::filesystem::path& device_directory, std::uint16_t device,
              trace::Losses& losses);
  // Those of a job, which lie in its directory itself or in `data`, for all devices.
  static DeviceFiles of_job(const std::filesystem::path& directory, std::uint16_t device,
                            trace::Losses& losses);

  // The file with this base name; an empty one if there is none. Slices that cannot be read are
  // reported and left out.
  DeviceFile open(std::string_view base, trace::Losses& losses) const;

  bool has(std::string_view base) const { return find(base) != nullptr; }

  // Base names that begin with `prefix`, sorted.
  std::vector<std::string> names_with_prefix(std::string_view prefix) const;
  // Base names that end with `suffix`, sorted.
  std::vector<std::string> names_with_suffix(std::string_view suffix) const;

 private:
  struct Entry {
    std::uint32_t number;
    std::filesystem::path path;
  };
  DeviceFiles() = default;
  void list(const std::filesystem::path& directory, std::uint16_t device, trace::Losses& losses);
  void sort_slices();
  const std::vector<Entry>* find(std::string_view base) const;

  std::map<std::string, std::vector<Entry>, std::less<>> files_;
};

}  // namespace npuprof::load
