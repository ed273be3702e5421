#include "record/framework_files.h"

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
    files_[static_cast<std::size_t>(which)].emplace(std::move(created).value());
  } else {
    error_ = created.error();
  }
}

void FrameworkFiles::keep(const Status& status) {
  if (!status.ok() && !error_) error_ = status.error();
}

Status FrameworkFiles::flush() {
  for (auto& file : files_) {
    if (file && !error_) keep(file->flush());
  }
  return status();
}

Status FrameworkFiles::close() {
  for (auto& file : files_) {
    if (file) keep(file->close());
  }
  return status();
}

Status FrameworkFiles::status() const {
  if (error_) return *error_;
  return ok_status();
}

std::uint64_t FrameworkFiles::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& file : files_) sum += file ? file->position() : 0;
  return sum;
}

}  // namespace npuprof::record
