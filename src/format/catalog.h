#pragma once

// What the files of a profile are, by their names, and how each is divided into records whose
// members have names. Programs that show files as they are need no more; loaders know what they
// open and use the layouts themselves.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "format/device/chips.h"

namespace npuprof::format {

// Takes the members of a record in the order of their bytes. Elements of a list have no name.
// Bytes without a known meaning that are zeros are left out, and so are the structures at the end
// of a list that are zeros.
class FieldSink {
 public:
  virtual ~FieldSink() = default;
  virtual void number(std::string_view name, std::uint64_t value) = 0;
  virtual void number(std::string_view name, std::int64_t value) = 0;
  virtual void number(std::string_view name, double value) = 0;
  virtual void text(std::string_view name, std::string_view value) = 0;  // Any bytes.
  virtual void bytes(std::string_view name, Bytes value) = 0;
  virtual void begin_group(std::string_view name) = 0;
  virtual void end_group() = 0;
  virtual void begin_list(std::string_view name) = 0;
  virtual void end_list() = 0;
};

// How to see bytes: as a layout of this name.
struct View {
  std::string_view kind;
  void (*describe)(Bytes bytes, FieldSink& sink) = nullptr;  // Null: nothing is known of them.
};

// Of pieces that are zeros where a record should be.
inline constexpr std::string_view kZerosKind = "zeros";

// A record, or a run of bytes that is none. The pieces of a file cover it without gaps.
struct Piece {
  std::size_t offset = 0;
  Bytes bytes;
  View view;
  std::string flaw;  // A sentence; empty if the piece is as it should be.
  bool is_damaged = false;
};

// What there is to divide.
struct Contents {
  Bytes bytes;
  std::size_t begin = 0;  // Where to begin.
  // How many bytes from there on belong to a record that begins before them.
  std::size_t begun_before = 0;
  // Whether the slices before and after are there, which have the rest of records cut by the ends.
  bool has_before = false;
  bool has_after = false;
};

// What the layouts of some files depend on, beside their names.
struct Surroundings {
  std::optional<device::ChipId> chip;  // By info.json.
  bool version_2 = false;              // Of the collection, by info.json.
  bool is_sampled = false;             // Counters of cores, by sample.json.
  char first_byte = 0;
  std::size_t size = 0;
};

// False: no more is wanted.
using VisitPiece = std::function<bool(const Piece&)>;

struct FileKind {
  std::string name;
  // Of files, with blanks between; '*' is any text. Without age, device and slice.
  std::string patterns;
  std::size_t record_bytes = 0;  // 0 if they differ.
  bool is_plain_text = false;    // For people as it is.
  // Null: whatever the surroundings.
  bool (*fits)(const Surroundings&) = nullptr;

  void (*divide)(const FileKind&, const Contents&, const VisitPiece&) = nullptr;
  // For records of one size: what a record is, and whether it has what records of the file have.
  View (*view_of)(const std::byte* record) = nullptr;
  bool (*is_sound)(const std::byte* record) = nullptr;
  bool may_have_zeros = false;

  void for_each_piece(const Contents& contents, const VisitPiece& visit) const {
    divide(*this, contents, visit);
  }
};

const std::vector<FileKind>& file_kinds();

// Null if there is none of this name.
const FileKind* find_file_kind(std::string_view name);

// The kind of a file by its name (without directories); null if it is no raw file that is known.
const FileKind* file_kind_of(std::string_view file_name, const Surroundings& surroundings);

// Whether files of this name come in several layouts.
bool depends_on_surroundings(std::string_view file_name);

}  // namespace npuprof::format
