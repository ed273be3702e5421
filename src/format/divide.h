#pragma once

// The ways in which files are divided into pieces, for the table in catalog.cc.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "format/catalog.h"
#include "format/describe.h"
#include "format/framework/tlv.h"

namespace npuprof::format {

// Pieces that are no records.
inline constexpr View kZeros = {kZerosKind};
inline constexpr View kCutRecord = {"cut_record"};
inline constexpr View kStrayBytes = {"stray_bytes"};

// Records of one size.
void divide_records(const FileKind& kind, const Contents& contents, const VisitPiece& visit);

// Lines, each with its end.
void divide_lines(const FileKind& kind, const Contents& contents, const VisitPiece& visit);

// Records of capture_op_info of any length.
void divide_capture_ops(const FileKind& kind, const Contents& contents, const VisitPiece& visit);

// Records of ts_track.data of the 310.
void divide_tracks_310(const FileKind& kind, const Contents& contents, const VisitPiece& visit);

// The zeros at the begin of `bytes` in whole units; nothing if the first unit has another byte.
Bytes zeros_at_begin(Bytes bytes, std::size_t unit);

Piece make_zeros(std::size_t offset, Bytes bytes, bool is_damaged);
// The end of the file is inside of a record.
Piece make_cut(std::size_t offset, Bytes bytes, std::string sentence);

// The sentence about what is wrong with the fields of a record.
std::string tlv_flaw(const framework::TlvReport& report);

template <framework::TlvRecord T>
std::string_view tlv_field_name(std::uint16_t type) {
  std::string_view found;
  const T record{};
  T::visit_fields(record, [&](const char* name, auto each, const auto&) {
    if (static_cast<std::uint16_t>(each) == type) found = name;
  });
  return found;
}

// Header, fixed part and fields as they stand, unknown ones too.
template <framework::TlvRecord T>
void describe_tlv(Bytes bytes, FieldSink& sink) {
  constexpr std::size_t kFixedBytes = framework::kFixedBytes<T>;
  describe_member("header", load<framework::TlvHeader>(bytes.data()), sink);
  const Bytes value = bytes.subspan(sizeof(framework::TlvHeader));
  if (value.size() < kFixedBytes) return sink.bytes("value", value);
  if constexpr (kFixedBytes > 0) {
    describe_members(load<typename T::Fixed>(value.data()), sink);
  }
  framework::TlvReader fields(value.subspan(kFixedBytes));
  framework::Tlv field;
  while (fields.next(field)) {
    const std::string_view name = tlv_field_name<T>(field.type);
    sink.text(name.empty() ? "field_" + std::to_string(field.type) : std::string(name),
              as_text(field.value));
  }
  if (fields.truncated()) sink.bytes("cut_field", value.subspan(kFixedBytes + fields.offset()));
}

template <framework::TlvRecord T>
void divide_tlv(const FileKind&, const Contents& contents, const VisitPiece& visit) {
  constexpr std::size_t kHeaderBytes = sizeof(framework::TlvHeader);
  std::size_t at = contents.begin;
  while (at < contents.bytes.size()) {
    const Bytes left = contents.bytes.subspan(at);
    if (const Bytes zeros = zeros_at_begin(left, kHeaderBytes); !zeros.empty()) {
      if (!visit(make_zeros(at, zeros, true))) return;
      at += zeros.size();
      continue;
    }
    framework::TlvReader reader(left);
    framework::Tlv item;
    if (!reader.next(item)) {
      visit(make_cut(at, left, "The record is longer than the rest of the file."));
      return;
    }
    framework::TlvReport report;
    T record;
    framework::decode_value(item.value, record, report);
    Piece piece{.offset = at,
                .bytes = left.first(reader.offset()),
                .view = {type_name<T>(), describe_tlv<T>},
                .flaw = tlv_flaw(report)};
    piece.is_damaged = !piece.flaw.empty();
    if (!visit(piece)) return;
    at += reader.offset();
  }
}

}  // namespace npuprof::format
