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
#include "load/bad_records.h"
#include "trace/losses.h"

namespace npuprof::load {

// All slices of one kind of file.
class DeviceFile {
 public:
  struct Slice {
    std::filesystem::path path;
    std::uint32_t number = 0;
    MappedFile file;
    std::uint64_t lost_bytes = 0;  // At its end, as far as is known.
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
  // record that is not one; these are counted and reported, and so are records of zeros, unless the
  // layout says that they end a file (kZerosAtEnd). `plausible(record)` is asked where the size
  // leaves open at which end of the file a part of a record is missing.
  template <format::Record T, typename Plausible, typename Visit>
  void for_each_record(trace::Losses& losses, Plausible&& plausible, Visit&& visit) const {
    report_missing_slices(losses);
    std::size_t record_begin = 0;  // Of the first record, counted as Run::position.
    for (const Run& run : runs()) {
      const std::vector<Bytes> all = bytes_of(run);
      if (run.position == 0) record_begin = first_record<T>(run, all, plausible);
      const std::size_t skipped = (record_begin + sizeof(T) - run.position % sizeof(T)) % sizeof(T);
      const std::vector<Bytes> bytes = part_of(all, skipped, SIZE_MAX);
      report_leftover(run, skipped, size_of(bytes) % sizeof(T), sizeof(T), losses);
      BadRecords bad;
      BadRecords zeros;
      std::size_t offset = skipped;
      format::for_each_record<T>(bytes, format::Leftover::kAtEnd, [&](const T& record) {
        if (!has_zeros_at_end<T>() && format::is_zero(record)) {
          zeros.add(offset);
        } else if (!visit(record)) {
          bad.add(offset);
        }
        offset += sizeof(T);
      });
      report_bad(run, bad, "are damaged and were skipped", losses);
      report_bad(run, zeros, "are zeros: they were never written", losses);
    }
  }

  template <format::Record T, typename Visit>
  void for_each_record(trace::Losses& losses, Visit&& visit) const {
    for_each_record<T>(
        losses, [](const T&) { return true; }, std::forward<Visit>(visit));
  }

  // The first records, as they are.
  template <format::Record T>
  std::vector<T> first_records(std::size_t count) const {
    std::vector<T> records;
    if (slices_.empty()) return records;
    const std::vector<Bytes> bytes = {slices_.front().file.bytes()};
    format::for_each_record<T>(part_of(bytes, 0, count * sizeof(T)), format::Leftover::kAtEnd,
                               [&](const T& record) { records.push_back(record); });
    return records;
  }

 private:
  // Slices with consecutive numbers and nothing missing between them.
  struct Run {
    std::size_t first;
    std::size_t last;
    // How many bytes were before it since slice 0, or since slices that are gone: from there on
    // it is not known where records begin.
    std::uint64_t position;
  };

  std::vector<Run> runs() const;
  std::vector<Bytes> bytes_of(const Run& run) const;
  static std::size_t size_of(const std::vector<Bytes>& slices);
  // At most `count` bytes, without the first `skipped`.
  static std::vector<Bytes> part_of(const std::vector<Bytes>& slices, std::size_t skipped,
                                    std::size_t count);
  void report_missing_slices(trace::Losses& losses) const;
  void report_leftover(const Run& run, std::size_t at_begin, std::size_t at_end,
                       std::size_t record_bytes, trace::Losses& losses) const;
  void report_bad(const Run& run, const BadRecords& bad, std::string_view what,
                  trace::Losses& losses) const;
  // The slice that holds byte `offset` of a run, and where in it.
  std::pair<std::string, std::uint64_t> locate(const Run& run, std::size_t offset) const;

  template <format::Record T>
  static constexpr bool has_zeros_at_end() {
    return requires { T::kZerosAtEnd; };
  }

  // Where the first record of a run begins. Slice 0 begins with one, and what may be missing is the
  // end, cut by a full disk or a kill. Where older slices were deleted the last record is the one
  // that is whole. If the first records say otherwise, they are right.
  template <format::Record T, typename Plausible>
  std::size_t first_record(const Run& run, const std::vector<Bytes>& bytes,
                           Plausible&& plausible) const {
    const std::size_t leftover =
        static_cast<std::size_t>((size_of(bytes) + slices_[run.last].lost_bytes) % sizeof(T));
    if (leftover == 0) return 0;
    const auto count_plausible = [&](std::size_t skipped) {
      constexpr std::size_t kLookedAt = 16;
      std::size_t good = 0;
      format::for_each_record<T>(part_of(bytes, skipped, kLookedAt * sizeof(T)),
                                 format::Leftover::kAtEnd,
                                 [&](const T& record) { good += plausible(record) ? 1 : 0; });
      return good;
    };
    const std::size_t whole_first = count_plausible(0);
    const std::size_t whole_last = count_plausible(leftover);
    if (slices_[run.first].number == 0) return whole_last > whole_first ? leftover : 0;
    return whole_first > whole_last ? 0 : leftover;
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

  bool empty() const { return files_.empty(); }
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
  bool is_job_ = false;
};

}  // namespace npuprof::load
