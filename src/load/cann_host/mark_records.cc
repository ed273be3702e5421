#include "load/cann_host/mark_records.h"

#include <string>
#include <string_view>

#include "format/host/msproftx.h"

namespace npuprof::load {
namespace {

using format::host::Msproftx;
using format::host::RecordHeader;

// Whether these are the bytes of a mark. Producers leave much of the header as it is; one that is
// there may still tell that this is a record of another kind.
bool is_mark(const Msproftx& record) {
  const RecordHeader& header = record.header;
  const bool is_other = header.magic == format::host::kMagic && header.level != 0 &&
                        header.level != format::host::kLevelMsproftx;
  return !is_other && record.info_type <= Msproftx::kMstx && record.event_type <= Msproftx::kMarkEx;
}

// A message that may go on in another record fills this one up, but for the rest of a character.
bool may_continue(const Msproftx& record) {
  constexpr std::size_t kLongestCharacter = 4;
  return record.info_type == Msproftx::kMstx &&
         (record.segment > 0 ||
          record.message_text().size() + kLongestCharacter > Msproftx::kMessageBytes);
}

void add_mark(DecodeContext& context, const Msproftx& record, std::string_view message,
              trace::Marks& marks) {
  const bool is_mstx = record.info_type == Msproftx::kMstx;
  StringId domain = kEmptyString;
  if (is_mstx) {
    const auto known = context.names.known_hash(record.domain);
    domain = known ? *known : context.names.intern("invalid");
  }
  marks.start_ns.push_back(context.clock.to_wall_ns(record.start));
  marks.end_ns.push_back(context.clock.to_wall_ns(record.end));
  marks.pid.push_back(record.process_id);
  marks.tid.push_back(record.thread_id);
  marks.is_mstx.push_back(is_mstx);
  marks.category.push_back(record.category);
  marks.event_type.push_back(record.event_type);
  marks.payload_type.push_back(record.payload_type);
  marks.payload.push_back(record.payload);
  marks.mark_id.push_back(record.mark_id);
  marks.domain.push_back(domain);
  marks.message_type.push_back(record.message_type);
  marks.message.push_back(context.names.intern(message));
}

}  // namespace

void decode_marks(DecodeContext& context, trace::Marks& marks) {
  const auto slices = context.files.open(Msproftx::kKind, context.losses);
  trace::reserve_rows(marks, marks.size() + count_records(slices, sizeof(Msproftx)));
  format::host::MarkJoiner joiner;
  // Not all producers set the mark of records.
  BadRecordsBySlice bad;
  for_each_host_record<Msproftx>(slices, RecordMark::kIgnored, context.losses,
                                 [&](const Msproftx& record, const HostSlice& slice) {
                                   if (!is_mark(record)) {
                                     bad.add(slice, 0);
                                   } else if (may_continue(record)) {
                                     joiner.add(record);
                                   } else {
                                     add_mark(context, record, record.message_text(), marks);
                                   }
                                 });
  bad.report("are no marks and were skipped", context.losses);
  std::size_t lost_segments = 0;
  for (const auto& mark : joiner.finish(&lost_segments)) {
    add_mark(context, mark.first, mark.message, marks);
  }
  if (lost_segments > 0) {
    context.losses.add((context.files.directory() / "*.msproftx.*").native(), 0, lost_segments,
                       std::to_string(lost_segments) + " parts of long messages are missing.");
  }
}

}  // namespace npuprof::load
