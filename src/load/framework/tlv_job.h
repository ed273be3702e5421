#pragma once

#include <utility>

#include "format/framework/tlv.h"
#include "load/framework/file_job.h"

namespace npuprof::load {

// Cuts a file of type-length-value records at record boundaries. A record too short for its fixed
// part gets no row. What cannot be read at the end belongs to the last part.
std::vector<FilePart> split_tlv_file(const MappedFile& file, std::size_t fixed_bytes,
                                     std::size_t part_bytes);

// What several parts of a file found, with offsets from the begin of the file.
void add_tlv_report(format::framework::TlvReport& sum, const format::framework::TlvReport& part,
                    std::uint64_t part_offset);

// One loss for each kind of flaw.
void report_tlv_losses(const format::framework::TlvReport& report, const std::string& path,
                       std::size_t file_bytes, trace::Losses& losses);

// A file of records of type T that become the rows of `table`, which is empty before.
// fill(table, row, record, strings) sets all columns of the row; false if the record is unusable.
template <format::framework::TlvRecord T, trace::Columnar Table, typename Fill>
class TlvJob final : public FileJob {
 public:
  TlvJob(RawFile file, std::size_t part_bytes, Table& table, Fill fill)
      : file_(std::move(file)),
        table_(table),
        fill_(std::move(fill)),
        parts_(split_tlv_file(*file_.mapped, format::framework::kFixedBytes<T>, part_bytes)),
        reports_(parts_.size()),
        unusable_(parts_.size()) {
    if (!parts_.empty())
      trace::resize_rows(table, parts_.back().first_row + parts_.back().row_count);
  }

  std::size_t part_count() const override { return parts_.size(); }

  void decode(std::size_t part, StringPool& strings) override {
    const FilePart& range = parts_[part];
    format::framework::TlvReport& report = reports_[part];
    format::framework::TlvReader reader(
        file_.bytes().subspan(range.begin, range.end - range.begin));
    format::framework::Tlv item;
    T record;
    std::size_t row = range.first_row;
    const std::size_t last_row = range.first_row + range.row_count;
    for (std::size_t offset = 0; reader.next(item); offset = reader.offset()) {
      const bool decoded = format::framework::decode_value(item.value, record, report);
      if (!report.first_flaw_offset && has_flaw(report)) report.first_flaw_offset = offset;
      // Another process may write to the file: then it is not what was looked through before.
      if (!decoded || row == last_row) continue;
      if (!fill_(table_, row, std::as_const(record), strings)) {
        unusable_[part].add(row, range.begin + offset);
      }
      ++row;
    }
    for (; row < last_row; ++row) unusable_[part].add(row, range.end);
    if (reader.truncated()) report.truncated_at = reader.offset();
    file_.mapped->forget(range.begin, range.end);
  }

  void translate(std::size_t part, std::span<const StringId> ids) override {
    translate_rows(table_, parts_[part], ids);
  }

  void finish(trace::Losses& losses) override {
    format::framework::TlvReport sum;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      add_tlv_report(sum, reports_[part], parts_[part].begin);
    }
    report_tlv_losses(sum, file_.path, file_.bytes().size(), losses);
    drop_unusable(table_, std::span<const UnusableRecords>(unusable_), file_.path, losses);
  }

 private:
  static bool has_flaw(const format::framework::TlvReport& report) {
    return (report.short_records | report.cut_fields | report.undecodable_texts) != 0;
  }

  RawFile file_;
  Table& table_;
  Fill fill_;
  std::vector<FilePart> parts_;
  std::vector<format::framework::TlvReport> reports_;
  std::vector<UnusableRecords> unusable_;
};

}  // namespace npuprof::load
