#include "record/slice_writer.h"

#include <utility>

#include "format/host/control.h"

namespace npuprof::record {
namespace {

// A run writes some twenty files at once; larger buffers gain nothing.
constexpr std::size_t kBufferBytes = 128 * 1024;
static_assert(SliceWriter::kMaxRecordBytes <= kBufferBytes);

}  // namespace

SliceWriter::SliceWriter(std::filesystem::path directory, std::string base,
                         std::uint64_t slice_bytes)
    : directory_(std::move(directory)), base_(std::move(base)), slice_bytes_(slice_bytes) {}

void SliceWriter::write(Bytes bytes) {
  if (!file_) open_slice();
  if (!file_) return;
  file_->write(bytes);
  if (file_->position() >= slice_bytes_) close_slice();
}

void SliceWriter::flush() {
  if (file_) error_.keep(file_->flush());
}

Status SliceWriter::close() {
  if (file_) close_slice();
  return status();
}

void SliceWriter::open_slice() {
  if (error_.failed()) return;
  auto created = FileWriter::create(
      directory_ / format::host::make_plain_file_name(base_, next_slice_), kBufferBytes);
  if (!created.ok()) {
    error_.keep(std::move(created.error()));
    return;
  }
  ++next_slice_;
  file_.emplace(std::move(created).value());
}

void SliceWriter::close_slice() {
  const std::uint64_t size = file_->position();
  Status closed = file_->close();
  // Only a complete slice is called done.
  error_.keep(closed.ok() ? write_file(file_->path().native() + ".done",
                                       format::host::make_slice_done(size))
                          : std::move(closed));
  file_.reset();
}

std::byte* SliceWriter::scratch() {
  if (!scratch_) scratch_ = std::make_unique<std::byte[]>(kMaxRecordBytes);
  return scratch_.get();
}

}  // namespace npuprof::record
