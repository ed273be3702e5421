#include <algorithm>

#include <fmt/format.h>

#include "load/framework/fixed_job.h"
#include "load/framework/tlv_job.h"

namespace npuprof::load {

using format::framework::Tlv;
using format::framework::TlvReader;
using format::framework::TlvReport;

std::vector<FilePart> split_tlv_file(const MappedFile& file, std::size_t fixed_bytes,
                                     std::size_t part_bytes) {
  const Bytes bytes = file.bytes();
  std::vector<FilePart> parts;
  if (bytes.empty()) return parts;
  FilePart part;
  TlvReader reader(bytes);
  Tlv item;
  while (reader.next(item)) {
    if (item.value.size() >= fixed_bytes) ++part.row_count;
    if (reader.offset() - part.begin < part_bytes) continue;
    part.end = reader.offset();
    parts.push_back(part);
    file.forget(part.begin, part.end);
    part = {part.end, part.end, part.first_row + part.row_count, 0};
  }
  part.end = bytes.size();
  if (part.end > part.begin) parts.push_back(part);
  return parts;
}

void add_tlv_report(TlvReport& sum, const TlvReport& part, std::uint64_t part_offset) {
  sum.records += part.records;
  sum.short_records += part.short_records;
  sum.cut_fields += part.cut_fields;
  sum.undecodable_texts += part.undecodable_texts;
  if (!sum.first_flaw_offset && part.first_flaw_offset) {
    sum.first_flaw_offset = part_offset + *part.first_flaw_offset;
  }
  if (part.truncated_at) sum.truncated_at = part_offset + *part.truncated_at;
}

void report_tlv_losses(const TlvReport& report, const std::string& path, std::size_t file_bytes,
                       trace::Losses& losses) {
  const std::uint64_t flaw = report.first_flaw_offset.value_or(0);
  if (report.short_records > 0) {
    losses.add(path, flaw, report.short_records, "records that are too short were left out");
  }
  if (report.cut_fields > 0) {
    losses.add(path, flaw, 0,
               fmt::format("{} records end inside a text, which is missing", report.cut_fields));
  }
  if (report.undecodable_texts > 0) {
    losses.add(path, flaw, 0,
               fmt::format("{} texts are not valid UTF-8 and read as {}", report.undecodable_texts,
                           format::framework::kUndecodableText));
  }
  if (report.truncated_at) {
    losses.add(path, *report.truncated_at, 1,
               fmt::format("the file ends inside a record; the last {} bytes are lost",
                           file_bytes - *report.truncated_at));
  }
}

std::vector<FilePart> split_fixed_file(Bytes bytes, std::size_t record_bytes,
                                       std::size_t part_bytes) {
  std::vector<FilePart> parts;
  const std::size_t used = format::without_zeros_at_end(bytes).size();
  // The last bytes of a record may be zeros.
  const std::size_t records =
      std::min((used + record_bytes - 1) / record_bytes, bytes.size() / record_bytes);
  const std::size_t records_per_part = std::max<std::size_t>(part_bytes / record_bytes, 1);
  for (std::size_t first = 0; first < records; first += records_per_part) {
    const std::size_t count = std::min(records_per_part, records - first);
    parts.push_back({first * record_bytes, (first + count) * record_bytes, first, count});
  }
  return parts;
}

void report_end(Bytes bytes, std::size_t record_bytes, std::span<const FilePart> parts,
                const std::string& path, trace::Losses& losses) {
  const std::size_t end = parts.empty() ? 0 : parts.back().end;
  const std::size_t rest = bytes.size() - end;
  if (rest == 0) return;
  const bool are_zeros = format::without_zeros_at_end(bytes).size() <= end;
  losses.add(path, end, (rest + record_bytes - 1) / record_bytes,
             are_zeros
                 ? fmt::format("the last {} bytes are zeros: they were never written", rest)
                 : fmt::format("the file ends inside a record; the last {} bytes are lost", rest));
}

}  // namespace npuprof::load
