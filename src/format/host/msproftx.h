#pragma once

// Marks and ranges set by the user (mstx, aclprof stamps): 256-byte records of
// `host/data/<age>.additional.msproftx.slice_<k>`.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// One mark, or one whole range, written when it ends. Thread and time of the header are not set:
// use those of the payload. A message longer than 155 bytes continues in further records with the
// same mark_id and the next segment number.
//
// | offset | width | field        | unit, meaning                                              |
// |--------|-------|--------------|------------------------------------------------------------|
// |     24 |     2 | info_type    | 0 aclprof stamp, 1 mstx                                    |
// |     26 |     2 | segment      | part of the message, from 0; always 0 for stamps           |
// |     28 |     4 | reserved     | zeros                                                      |
// |     32 |     2 | stamp_magic  | 0x5A5A for stamps, 0 for mstx                              |
// |     34 |     2 | stamp_tag    | 120 for stamps, 0 for mstx                                 |
// |     36 |     4 | process_id   |                                                            |
// |     40 |     4 | thread_id    |                                                            |
// |     44 |     4 | category     |                                                            |
// |     48 |     4 | event_type   | 0 mark, 1 push/pop range, 2 start/end range, 3 extended    |
// |        |       |              | mark                                                       |
// |     52 |     4 | payload_type |                                                            |
// |     56 |     8 | payload      | 64-bit integer or float, or two of 32 bits                 |
// |     64 |     8 | start        | host ticks                                                 |
// |     72 |     8 | end          | host ticks; equals start for marks                         |
// |     80 |     8 | mark_id      | counts marks and ranges of the process from 1              |
// |     88 |     8 | domain       | hash; "default" if the user named none                     |
// |     96 |     4 | message_type |                                                            |
// |    100 |   156 | message      | ends with a zero byte                                      |
struct Msproftx {
  static constexpr RecordKind kKind{Module::kAdditional, "msproftx", kLevelMsproftx, 0};
  static constexpr std::uint32_t kPayloadLength = 232;

  static constexpr std::uint16_t kStamp = 0;
  static constexpr std::uint16_t kMstx = 1;
  static constexpr std::uint16_t kStampTag = 120;
  static constexpr std::uint32_t kMark = 0;
  static constexpr std::uint32_t kPushPop = 1;
  static constexpr std::uint32_t kStartEnd = 2;
  static constexpr std::uint32_t kMarkEx = 3;
  static constexpr std::size_t kMessageBytes = 155;  // Without the ending zero.

  RecordHeader header;
  U16 info_type;
  U16 segment;
  U32 reserved;
  U16 stamp_magic;
  U16 stamp_tag;
  U32 process_id;
  U32 thread_id;
  U32 category;
  U32 event_type;
  I32 payload_type;
  U64 payload;
  U64 start;
  U64 end;
  U64 mark_id;
  U64 domain;
  I32 message_type;
  std::array<char, kMessageBytes + 1> message;

  static std::string_view event_type_name(std::uint32_t event_type);  // "push/pop"; empty = unknown

  // The message up to its zero byte, or all of it if that is missing. Points into the record.
  std::string_view message_text() const;
  // Copies as much of `text` as fits without cutting a UTF-8 character; returns the bytes taken.
  std::size_t set_message(std::string_view text);

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("info_type", self.info_type);
    field("segment", self.segment);
    field("reserved", self.reserved);
    field("stamp_magic", self.stamp_magic);
    field("stamp_tag", self.stamp_tag);
    field("process_id", self.process_id);
    field("mark_thread_id", self.thread_id);
    field("category", self.category);
    field("event_type", self.event_type);
    field("payload_type", self.payload_type);
    field("payload", self.payload);
    field("start", self.start);
    field("end", self.end);
    field("mark_id", self.mark_id);
    field("domain", self.domain);
    field("message_type", self.message_type);
    field("message", self.message);
  }
};
static_assert(sizeof(Msproftx) == kAdditionalBytes);

// Calls `write(const Msproftx&)` for each record that `mark` with the message `text` needs: several
// for a long mstx message, one (its message cut) for a stamp.
template <typename Write>
void write_segments(Msproftx mark, std::string_view text, Write&& write) {
  mark.segment = 0;
  for (;;) {
    text.remove_prefix(mark.set_message(text));
    write(mark);
    if (text.empty() || mark.info_type != Msproftx::kMstx || mark.segment == 0xFFFF) return;
    mark.segment = static_cast<std::uint16_t>(mark.segment + 1);
  }
}

// Puts the segments of long messages together again. Segments of different marks may be mixed.
class MarkJoiner {
 public:
  struct Mark {
    Msproftx first;  // The record of segment 0, or of the first one seen if that was lost.
    std::string message;
  };

  void add(const Msproftx& record);

  // Marks in the order in which their first record came. `lost_segments` counts the gaps.
  std::vector<Mark> finish(std::size_t* lost_segments);

 private:
  struct Continuation {
    std::size_t mark;
    std::uint16_t segment;
    std::string text;
  };

  std::vector<Mark> marks_;
  std::unordered_map<std::uint64_t, std::size_t> mark_of_id_;  // mstx only
  std::vector<Continuation> continuations_;                    // Segments above 0.
};

}  // namespace npuprof::format::host
