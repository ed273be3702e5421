#pragma once

// The files of `host/data`, and the records in them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "format/host/api_event.h"
#include "format/host/record_kind.h"
#include "format/record.h"
#include "load/bad_records.h"
#include "trace/losses.h"

namespace npuprof::load {

// One mapped slice of a file.
struct HostSlice {
  std::filesystem::path path;
  format::host::Age age = format::host::Age::kAging;
  MappedFile file;
  std::uint64_t lost_bytes = 0;  // At its end, as far as is known.
};

// What there is in `host/data`, by kind. Any number of threads may open kinds at once.
class HostFiles {
 public:
  // Lists the directory; a directory that cannot be read is a loss, and as good as empty.
  HostFiles(const std::filesystem::path& data_directory, trace::Losses& losses);

  // The slices of a kind in reading order: unaging before aging, then by number. Slices that cannot
  // be opened are losses.
  std::vector<HostSlice> open(format::host::Module module, std::string_view tag,
                              trace::Losses& losses) const;
  std::vector<HostSlice> open(const format::host::RecordKind& kind, trace::Losses& losses) const {
    return open(kind.module, kind.tag, losses);
  }

  // The slices of a text file of the host sampler (`<base>.slice_<k>`), joined; empty if there is
  // none.
  std::string read_text(std::string_view base, trace::Losses& losses) const;
  // The first of these slices, to name the file in a message.
  std::string text_path(std::string_view base) const;
  // Bases of text files that end with `suffix`, sorted.
  std::vector<std::string> text_names_with_suffix(std::string_view suffix) const;

  // Whether there are records of a module, beside dictionaries, that collectors keep from before a
  // collection.
  bool has_older_records(format::host::Module module) const;

  const std::filesystem::path& directory() const { return directory_; }

 private:
  struct Entry {
    format::host::Age age;
    std::uint32_t slice;
    std::string name;
  };
  using Kind = std::pair<format::host::Module, std::string>;

  std::filesystem::path directory_;
  std::map<Kind, std::vector<Entry>> records_;
  std::map<std::string, std::vector<Entry>, std::less<>> texts_;
};

// Whole records in a row, all from the same slice (or one that straddles two).
struct RecordRun {
  Bytes bytes;  // A multiple of the record size.
  const HostSlice* slice = nullptr;
  std::uint64_t offset = 0;  // Of the first record, in the slice where it begins.
};

enum class RecordMark : std::uint8_t {
  kChecked,  // Records begin with 0x5A5A.
  kIgnored,  // The header is not filled in.
};

// Cuts slices into records. Records may straddle slices of the same age. Slices whose size is no
// multiple of the record size are put right by the record mark, and bytes that belong to no whole
// record are losses.
void for_each_run(std::span<const HostSlice> slices, std::size_t record_bytes, RecordMark mark,
                  trace::Losses& losses, const std::function<void(const RecordRun&)>& run);

// Counts those of each slice, for one loss per slice.
class BadRecordsBySlice {
 public:
  void add(const HostSlice& slice, std::uint64_t offset);
  void report(std::string_view what, trace::Losses& losses) const;

 private:
  struct Entry {
    std::string file;
    BadRecords records;
  };
  std::vector<Entry> entries_;
};

// Calls visit(const T&, const HostSlice&) for each record; those without the record mark are
// skipped.
template <format::Record T, typename Visit>
void for_each_host_record(std::span<const HostSlice> slices, RecordMark mark, trace::Losses& losses,
                          Visit&& visit) {
  BadRecordsBySlice bad;
  BadRecordsBySlice zeros;
  for_each_run(slices, sizeof(T), mark, losses, [&](const RecordRun& run) {
    const std::byte* const begin = run.bytes.data();
    const std::byte* const end = begin + run.bytes.size();
    for (const std::byte* at = begin; at != end; at += sizeof(T)) {
      const T record = format::load<T>(at);
      if (format::is_zero(record)) {
        zeros.add(*run.slice, run.offset + static_cast<std::uint64_t>(at - begin));
      } else if (mark == RecordMark::kChecked &&
                 format::load<format::U16>(at) != format::host::kMagic) {
        bad.add(*run.slice, run.offset + static_cast<std::uint64_t>(at - begin));
      } else {
        visit(record, *run.slice);
      }
    }
  });
  zeros.report("are zeros: they were never written", losses);
  bad.report("do not begin with the record mark 0x5A5A and were skipped", losses);
}

// How many records of `record_bytes` the slices can hold, to reserve memory.
std::size_t count_records(std::span<const HostSlice> slices, std::size_t record_bytes);

}  // namespace npuprof::load
