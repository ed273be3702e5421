#include "record/framework_files.h"

#include <system_error>
#include <utility>

#include "format/framework/file_names.h"

namespace npuprof::record {
namespace {

std::string_view file_name(FrameworkFile which) {
  switch (which) {
    case FrameworkFile::kOpRange:
      return format::framework::kOpRangeFile;
    case FrameworkFile::kOpMark:
      return format::framework::kOpMarkFile;
    case FrameworkFile::kMemoryUsage:
      return format::framework::kMemoryUsageFile;
    case FrameworkFile::kPythonCalls:
      return format::framework::kPythonTracerCallFile;
    case FrameworkFile::kPythonNames:
      return format::framework::kPythonTracerHashFile;
    case FrameworkFile::kParameters:
      return format::framework::kParamTensorInfoFile;
    case FrameworkFile::kGarbage:
      return format::framework::kGcRecordFile;
  }
  return "torch.unknown";
}

}  // namespace

void FrameworkFiles::open(FrameworkFile which) {
  auto created = FileWriter::create(directory_ / file_name(which), kBufferBytes);
  if (created.ok()) {
    files_[static_cast<std::size_t>(which)].emplace(File{std::move(created).value()});
  } else {
    error_.keep(std::move(created.error()));
  }
}

void FrameworkFiles::hand_over(File& file) { settle(file, file.writer.flush()); }

void FrameworkFiles::settle(File& file, const Status& written) {
  error_.keep(written);
  if (written.ok()) {
    file.written_records = file.records;
    file.written_bytes = file.writer.position();
  } else if (!file.is_cut) {
    file.is_cut = true;
    std::error_code ignored;
    std::filesystem::resize_file(file.writer.path(), file.written_bytes, ignored);
  }
}

Status FrameworkFiles::flush() {
  for (auto& file : files_) {
    if (file) hand_over(*file);
  }
  return status();
}

Status FrameworkFiles::close() {
  for (auto& file : files_) {
    if (file) settle(*file, file->writer.close());
  }
  return status();
}

std::uint64_t FrameworkFiles::written_records() const {
  std::uint64_t sum = 0;
  for (const auto& file : files_) sum += file ? file->written_records : 0;
  return sum;
}

std::uint64_t FrameworkFiles::written_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& file : files_) sum += file ? file->written_bytes : 0;
  return sum;
}

}  // namespace npuprof::record
