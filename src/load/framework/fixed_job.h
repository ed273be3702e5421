#pragma once

#include <utility>

#include "format/record.h"
#include "load/framework/file_job.h"

namespace npuprof::load {

// Cuts a file of records of one size; a last record that the end cuts is left out, and so are
// records of zeros at the end.
std::vector<FilePart> split_fixed_file(Bytes bytes, std::size_t record_bytes,
                                       std::size_t part_bytes);

// Reports what is behind the last part: bytes that are no whole record, or zeros.
void report_end(Bytes bytes, std::size_t record_bytes, std::span<const FilePart> parts,
                const std::string& path, trace::Losses& losses);

// As TlvJob, for bare records of type T without strings: fill(table, row, record).
template <format::Record T, trace::Columnar Table, typename Fill>
class FixedJob final : public FileJob {
 public:
  FixedJob(RawFile file, std::size_t part_bytes, Table& table, Fill fill)
      : file_(std::move(file)),
        table_(table),
        fill_(std::move(fill)),
        parts_(split_fixed_file(file_.bytes(), sizeof(T), part_bytes)),
        unusable_(parts_.size()) {
    if (!parts_.empty()) resize_rows(table, parts_.back().first_row + parts_.back().row_count);
  }

  std::size_t part_count() const override { return parts_.size(); }

  void decode(std::size_t part, StringPool&) override {
    const FilePart& range = parts_[part];
    const std::byte* const bytes = file_.bytes().data();
    for (std::size_t i = 0; i < range.row_count; ++i) {
      const std::size_t offset = range.begin + i * sizeof(T);
      const std::size_t row = range.first_row + i;
      const T record = format::load<T>(bytes + offset);
      if (format::is_zero(record) || !fill_(table_, row, record)) unusable_[part].add(row, offset);
    }
    file_.mapped->forget(range.begin, range.end);
  }

  void translate(std::size_t, std::span<const StringId>) override {}

  void finish(trace::Losses& losses) override {
    report_end(file_.bytes(), sizeof(T), parts_, file_.path, losses);
    drop_unusable(table_, std::span<const UnusableRecords>(unusable_), file_.path, losses);
  }

 private:
  RawFile file_;
  Table& table_;
  Fill fill_;
  std::vector<FilePart> parts_;
  std::vector<UnusableRecords> unusable_;
};

}  // namespace npuprof::load
