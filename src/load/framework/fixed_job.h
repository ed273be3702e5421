#pragma once

#include <utility>

#include "format/record.h"
#include "load/framework/file_job.h"

namespace npuprof::load {

// Cuts a file of records of one size; a last record that the end cuts is left out.
std::vector<FilePart> split_fixed_file(Bytes bytes, std::size_t record_bytes,
                                       std::size_t part_bytes);

// Reports the bytes at the end that are no whole record.
void report_leftover(Bytes bytes, std::size_t record_bytes, const std::string& path,
                     trace::Losses& losses);

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
    resize_rows(table, file_.bytes().size() / sizeof(T));
  }

  std::size_t part_count() const override { return parts_.size(); }

  void decode(std::size_t part, StringPool&) override {
    const FilePart& range = parts_[part];
    const std::byte* const bytes = file_.bytes().data();
    for (std::size_t i = 0; i < range.row_count; ++i) {
      const std::size_t offset = range.begin + i * sizeof(T);
      const std::size_t row = range.first_row + i;
      if (!fill_(table_, row, format::load<T>(bytes + offset))) unusable_[part].add(row, offset);
    }
    file_.mapped->forget(range.begin, range.end);
  }

  void translate(std::size_t, std::span<const StringId>) override {}

  void finish(trace::Losses& losses) override {
    report_leftover(file_.bytes(), sizeof(T), file_.path, losses);
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
