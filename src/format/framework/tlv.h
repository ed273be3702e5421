#pragma once

// Type-length-value framing of the FRAMEWORK files:
//
//     record := u16 type | u32 length | value[length]
//     value  := fixed layout | field*
//     field  := u16 type | u32 length | bytes[length]
//
// Field values are UTF-8 text without terminator. A record type names its fixed layout and its
// fields once (`Fixed`, `visit_fields`); decoding hands out views into the input, encoding writes
// to room the caller has, and neither allocates.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/file.h"
#include "base/utf8.h"
#include "format/record.h"

namespace npuprof::format::framework {

// | offset | width | field  | meaning                         |
// |--------|-------|--------|---------------------------------|
// |      0 |     2 | type   | kind of record or field         |
// |      2 |     4 | length | bytes of the value that follows |
struct TlvHeader {
  U16 type;
  U32 length;

  static constexpr void visit(auto& self, auto&& field) {
    field("type", self.type);
    field("length", self.length);
  }
};
static_assert(sizeof(TlvHeader) == 6);

struct Tlv {
  std::uint16_t type = 0;
  Bytes value;
};

// Walks records (or the fields of one record) until the end of the data or until an item that the
// end cuts.
class TlvReader {
 public:
  explicit TlvReader(Bytes data) : data_(data) {}

  bool next(Tlv& item) {
    const std::size_t left = data_.size() - offset_;
    if (left < sizeof(TlvHeader)) return false;
    const auto header = load<TlvHeader>(data_.data() + offset_);
    if (header.length > left - sizeof(TlvHeader)) return false;
    item.type = header.type;
    item.value = data_.subspan(offset_ + sizeof(TlvHeader), header.length);
    offset_ += sizeof(TlvHeader) + header.length;
    return true;
  }

  // Where the next item begins; after next() returned false, where reading stopped.
  std::size_t offset() const { return offset_; }
  // After next() returned false: whether bytes of a cut item are left.
  bool truncated() const { return offset_ < data_.size(); }

 private:
  Bytes data_;
  std::size_t offset_ = 0;
};

// What a field that is not valid UTF-8 reads as.
inline constexpr std::string_view kUndecodableText = "N/A";

// What a pass over a file found, and what it had to leave out.
struct TlvReport {
  std::uint64_t records = 0;            // Handed out.
  std::uint64_t short_records = 0;      // Skipped: the value is shorter than its fixed layout.
  std::uint64_t cut_fields = 0;         // Records whose last field runs past their end.
  std::uint64_t undecodable_texts = 0;  // Fields read as kUndecodableText.
  // Offset of the first record counted in one of the three lines above.
  std::optional<std::uint64_t> first_flaw_offset;
  // Offset of a last record that the end of the file cuts; everything from there is lost.
  std::optional<std::uint64_t> truncated_at;

  bool whole() const { return !first_flaw_offset && !truncated_at; }
};

// The layout of a record that is fields alone.
struct NoFixedPart {
  static constexpr void visit(auto&, auto&&) {}
};

// A record type: `kType` of its header, `Fixed` layout in `fixed`, and fields that visit_fields()
// lists as (name, type, member) in the order in which they are written. A std::string_view member
// is always written; a std::optional one only if it has a value.
template <typename T>
concept TlvRecord = Record<typename T::Fixed> && requires(T record) {
  { T::kType } -> std::convertible_to<std::uint16_t>;
  { record.fixed } -> std::convertible_to<typename T::Fixed>;
};

// Bytes of the fixed layout. An empty struct has a size, but nothing of it is in the file.
template <TlvRecord T>
inline constexpr std::size_t kFixedBytes = std::is_empty_v<typename T::Fixed>
                                               ? 0
                                               : sizeof(typename T::Fixed);

// Decodes the value of one record. Unknown fields are ignored, the last of repeated fields wins.
// False if the value is too short to be one; flaws are counted in `report`.
template <TlvRecord T>
bool decode_value(Bytes value, T& record, TlvReport& report) {
  if (value.size() < kFixedBytes<T>) {
    ++report.short_records;
    return false;
  }
  record = T{};
  if constexpr (kFixedBytes < T >> 0) record.fixed = load<typename T::Fixed>(value.data());
  TlvReader fields(value.subspan(kFixedBytes<T>));
  Tlv field;
  while (fields.next(field)) {
    T::visit_fields(record, [&](const char*, auto type, auto& member) {
      if (static_cast<std::uint16_t>(type) != field.type) return;
      member = as_text(field.value);
      if (!is_valid_utf8(as_text(field.value))) {
        member = kUndecodableText;
        ++report.undecodable_texts;
      }
    });
  }
  if (fields.truncated()) ++report.cut_fields;
  return true;
}

// Calls visit(const T&) for each record of a file's bytes. The type in a record's header is not
// looked at: a file holds one kind, and its name says which.
template <TlvRecord T, std::invocable<const T&> Visit>
TlvReport for_each_tlv_record(Bytes data, Visit&& visit) {
  TlvReport report;
  TlvReader reader(data);
  Tlv item;
  T record;
  for (std::size_t begin = 0; reader.next(item); begin = reader.offset()) {
    const bool decoded = decode_value(item.value, record, report);
    if (!report.first_flaw_offset &&
        report.short_records + report.cut_fields + report.undecodable_texts > 0) {
      report.first_flaw_offset = begin;
    }
    if (!decoded) continue;
    ++report.records;
    visit(static_cast<const T&>(record));
  }
  if (reader.truncated()) report.truncated_at = reader.offset();
  return report;
}

inline std::byte* put_bytes(std::byte* out, Bytes bytes) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

inline constexpr std::size_t field_size(std::string_view text) {
  return sizeof(TlvHeader) + text.size();
}

// Writes a field (or a whole record whose value is `text`) to `out`, which must have room for
// field_size(text); returns where it ends. A value is shorter than 4 GiB.
inline std::byte* put_field(std::byte* out, std::uint16_t type, std::string_view text) {
  store(out, TlvHeader{type, static_cast<std::uint32_t>(text.size())});
  return put_bytes(out + sizeof(TlvHeader), as_bytes(text));
}

// Calls visit(type, text) for the fields of `record` that are written, in order.
template <TlvRecord T, typename Visit>
void for_each_written_field(const T& record, Visit&& visit) {
  T::visit_fields(record, [&](const char*, auto type, const auto& member) {
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::string_view>) {
      visit(static_cast<std::uint16_t>(type), member);
    } else if (member) {
      visit(static_cast<std::uint16_t>(type), *member);
    }
  });
}

template <TlvRecord T>
std::size_t encoded_size(const T& record) {
  std::size_t size = sizeof(TlvHeader) + kFixedBytes<T>;
  for_each_written_field(record,
                         [&](std::uint16_t, std::string_view text) { size += field_size(text); });
  return size;
}

// Writes `record` to `out`, which must have room for encoded_size(record); returns where it ends.
template <TlvRecord T>
std::byte* encode(const T& record, std::byte* out) {
  std::byte* end = put_bytes(out + sizeof(TlvHeader), bytes_of(record.fixed).first(kFixedBytes<T>));
  for_each_written_field(
      record, [&](std::uint16_t type, std::string_view text) { end = put_field(end, type, text); });
  const auto value_size = static_cast<std::uint32_t>(end - out - sizeof(TlvHeader));
  store(out, TlvHeader{T::kType, value_size});
  return end;
}

// Appends `record` to `out`, which grows as a vector does.
template <TlvRecord T>
void append(const T& record, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  out.resize(begin + encoded_size(record));
  encode(record, out.data() + begin);
}

}  // namespace npuprof::format::framework
