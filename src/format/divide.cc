#include "format/divide.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "format/device/ts_track_310.h"
#include "format/host/variable.h"

namespace npuprof::format {
namespace {

// So that a file of no lines at all is not one piece.
constexpr std::size_t kMostLineBytes = std::size_t{64} << 10;

void describe_line(Bytes bytes, FieldSink& sink) {
  std::string_view line = as_text(bytes);
  if (line.ends_with('\n')) line.remove_suffix(1);
  sink.text("text", line);
}

void describe_capture_op(Bytes bytes, FieldSink& sink) {
  const auto head = load<host::CaptureOpHead>(bytes.data());
  describe_members(head, sink);
  Bytes left = bytes.subspan(sizeof(head));
  sink.begin_list("tensors");
  for (std::uint32_t i = 0; i < head.tensor_count; ++i, left = left.subspan(sizeof(host::Tensor))) {
    describe_member("", load<host::Tensor>(left.data()), sink);
  }
  sink.end_list();
  if (!left.empty()) sink.bytes("more", left);
}

template <Record T>
View view_if_long_enough(Bytes record) {
  return record.size() >= sizeof(T) ? view_as<T>() : view_as<device::VariableHead>();
}

View view_of_track_310(device::TrackType type, Bytes record) {
  switch (type) {
    case device::TrackType::kTimeline:
      return view_if_long_enough<device::TimelineRecord>(record);
    case device::TrackType::kEventCount:
      return view_if_long_enough<device::EventCountRecord>(record);
    case device::TrackType::kStepTrace:
      return view_if_long_enough<device::StepTrace>(record);
    case device::TrackType::kMemcpy:
      return view_if_long_enough<device::MemcpyTrack>(record);
    default:
      return view_as<device::VariableHead>();
  }
}

}  // namespace

Bytes zeros_at_begin(Bytes bytes, std::size_t unit) {
  std::size_t size = 0;
  while (size + unit <= bytes.size() && are_zeros(bytes.subspan(size, unit))) size += unit;
  return bytes.first(size);
}

Piece make_zeros(std::size_t offset, Bytes bytes, bool is_damaged) {
  return {offset, bytes, kZeros, is_damaged ? "Zeros: this was never written." : "Zeros.",
          is_damaged};
}

Piece make_cut(std::size_t offset, Bytes bytes, std::string sentence) {
  return {offset, bytes, kCutRecord, std::move(sentence), true};
}

std::string tlv_flaw(const framework::TlvReport& report) {
  if (report.short_records > 0) return "The record is too short for its members.";
  if (report.cut_fields > 0) return "A field runs past the end of the record.";
  if (report.undecodable_texts > 0) return "A text is not UTF-8.";
  return "";
}

void divide_records(const FileKind& kind, const Contents& contents, const VisitPiece& visit) {
  const std::size_t size = kind.record_bytes;
  std::size_t at = contents.begin;
  if (contents.begun_before > 0) {
    Piece piece = make_cut(at, contents.bytes.subspan(at, contents.begun_before),
                           contents.has_before ? "The rest of a record of the slice before."
                                               : "The rest of a record whose begin is missing.");
    piece.is_damaged = !contents.has_before;
    if (!visit(piece)) return;
    at += contents.begun_before;
  }
  while (at < contents.bytes.size()) {
    const Bytes left = contents.bytes.subspan(at);
    Piece piece;
    if (const Bytes zeros = zeros_at_begin(left, size); !zeros.empty()) {
      piece = make_zeros(at, zeros, !kind.may_have_zeros);
    } else if (left.size() < size) {
      piece = make_cut(at, left,
                       fmt::format("{} of the {} bytes of a record{}.", left.size(), size,
                                   contents.has_after ? "; the rest is in the next slice" : ""));
      piece.is_damaged = !contents.has_after;
    } else {
      piece = {.offset = at, .bytes = left.first(size), .view = kind.view_of(left.data())};
      piece.is_damaged = !kind.is_sound(left.data());
      if (piece.is_damaged)
        piece.flaw = "The mark of such records is missing, or a number is impossible.";
    }
    at += piece.bytes.size();
    if (!visit(piece)) return;
  }
}

void divide_lines(const FileKind& kind, const Contents& contents, const VisitPiece& visit) {
  std::size_t at = contents.begin;
  while (at < contents.bytes.size()) {
    const std::string_view left =
        as_text(contents.bytes.subspan(at, std::min(contents.bytes.size() - at, kMostLineBytes)));
    const std::size_t end = left.find('\n');
    const std::size_t size = end == std::string_view::npos ? left.size() : end + 1;
    Piece piece{
        .offset = at, .bytes = as_bytes(left.substr(0, size)), .view = {"line", describe_line}};
    if (!kind.may_have_zeros && left.substr(0, size).find('\0') != std::string_view::npos) {
      piece.flaw = "Zeros in a text: this was never written.";
      piece.is_damaged = true;
    }
    if (!visit(piece)) return;
    at += size;
  }
}

void divide_capture_ops(const FileKind&, const Contents& contents, const VisitPiece& visit) {
  std::size_t at = contents.begin;
  host::CaptureOpReader reader(contents.bytes.subspan(at));
  const auto pass_over = [&](std::size_t end) {
    if (end == at) return true;
    const Piece piece{at, contents.bytes.subspan(at, end - at), kStrayBytes,
                      "These bytes belong to no whole record.", true};
    at = end;
    return visit(piece);
  };
  while (reader.next()) {
    const auto begin = static_cast<std::size_t>(reader.record().data() - contents.bytes.data());
    if (!pass_over(begin)) return;
    if (!visit({.offset = at,
                .bytes = reader.record(),
                .view = {type_name<host::CaptureOpHead>(), describe_capture_op}})) {
      return;
    }
    at += reader.record().size();
  }
  pass_over(contents.bytes.size());
}

void divide_tracks_310(const FileKind&, const Contents& contents, const VisitPiece& visit) {
  std::size_t at = contents.begin;
  bool goes_on = true;
  const std::size_t left = device::for_each_variable_record(
      contents.bytes.subspan(at), [&](device::VariableHead head, Bytes record) {
        goes_on = goes_on && visit({.offset = at,
                                    .bytes = record,
                                    .view = view_of_track_310(head.track_type(), record)});
        at += record.size();
      });
  if (!goes_on || left == 0) return;
  const Bytes rest = contents.bytes.last(left);
  visit(are_zeros(rest) ? make_zeros(at, rest, true)
                        : make_cut(at, rest,
                                   "A record that is cut or has an impossible size; where the next "
                                   "one would begin is not known."));
}

}  // namespace npuprof::format
