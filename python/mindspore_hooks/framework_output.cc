#include "framework_output.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/record_shapes.h"

namespace npuprof::mindspore_hooks {
namespace {

namespace fs = std::filesystem;
namespace ms = format::mindspore;

constexpr std::uint16_t kPynativeModule = 3;
constexpr std::uint16_t kLaunchTaskEvent = 32;
constexpr std::uint64_t kFirstAddress = 0x12c0c0000000;

// Earlier records of the file stay in front.
class RecordWriter {
 public:
  explicit RecordWriter(const fs::path& path) : path_(path) {
    auto before = read_file(path, std::size_t{4} << 30);
    if (before.ok()) {
      const Bytes bytes = as_bytes(*before);
      records_.assign(bytes.begin(), bytes.end());
    }
  }
  template <typename Record>
  void put(const Record& record) {
    format::framework::append(record, records_);
  }
  // A file without records is not made.
  Status close() const {
    if (records_.empty()) return ok_status();
    NPUPROF_ASSIGN_OR_RETURN(FileWriter file, FileWriter::create(path_));
    file.write(Bytes(records_));
    return file.close();
  }

 private:
  fs::path path_;
  std::vector<std::byte> records_;
};

}  // namespace

Status write_ranges(const fs::path& directory, const std::vector<Range>& ranges,
                    const std::vector<AddedLaunch>& added, const TickClock& clock) {
  RecordWriter writer(directory / ms::kOpRangeFile);
  for (const Range& range : ranges) {
    ms::OpRange record = range.record;
    if (range.begin_ns != 0) {
      record.fixed.start = clock.to_ticks(range.begin_ns);
      record.fixed.end = clock.to_ticks(range.end_ns);
      // Within one tick a mark would not be seen as one.
      const bool is_flow = record.name == ms::kFlowName;
      if (is_flow) record.fixed.end = std::max(record.fixed.end.get(), record.fixed.start + 1);
    }
    writer.put(record);
  }
  for (const AddedLaunch& launch : added) {
    ms::OpRange record;
    record.fixed.thread_id = launch.thread_id;
    record.fixed.process_id = static_cast<std::int32_t>(launch.thread_id);
    record.fixed.start = clock.to_ticks(launch.begin_ns);
    record.fixed.end = clock.to_ticks(launch.end_ns);
    record.fixed.module = kPynativeModule;
    record.fixed.event = kLaunchTaskEvent;
    record.name = ms::brief_name(launch.name);
    record.full_name = launch.name;
    writer.put(record);
  }
  return writer.close();
}

Status write_shapes(const fs::path& directory, const std::vector<OperatorRun>& runs) {
  RecordWriter writer(directory / ms::kRecordShapesFile);
  std::string shapes;
  std::string types;
  for (const OperatorRun& run : runs) {
    if (run.inputs == nullptr) continue;
    const auto& [known_shapes, known_types] = *run.inputs;
    shapes.clear();
    types.clear();
    for (std::size_t i = 0; i < known_shapes.size(); ++i) {
      if (i > 0) shapes += ';', types += ';';
      shapes += fmt::format("{}", fmt::join(dimensions_of(known_shapes[i]), ","));
      if (i < known_types.size()) types += known_types[i];
    }
    ms::RecordShapes record;
    record.name = ms::brief_name(run.name);
    record.shapes = shapes;
    record.types = types;
    writer.put(record);
  }
  return writer.close();
}

Status write_memory(const fs::path& directory, const RecordedFiles& files, std::int64_t rank,
                    const RecordedTimes& times) {
  RecordWriter writer(directory / ms::kMemoryUsageFile);
  std::map<std::int64_t, std::vector<std::uint64_t>> blocks;  // Addresses by size.
  std::uint64_t next_address = kFirstAddress;
  if (files.memory().empty()) return ok_status();
  // Without an earlier row nobody knows how much the first one is about.
  std::int64_t before = files.allocated_before().value_or(files.memory()[0].allocated_bytes);
  std::int64_t peak = 0;
  const auto& runs = files.runs();
  std::size_t next_run = 0;
  for (const ms::CpuMemory& row : files.memory()) {
    const std::int64_t size = row.allocated_bytes - before;
    before = row.allocated_bytes;
    peak = std::max(peak, row.allocated_bytes);
    const std::int64_t time_ns = times.from_wall(row.time_ns);
    while (next_run < runs.size() && runs[next_run].end_ns < time_ns) ++next_run;
    ms::MemoryUsage usage;
    usage.fixed.device = static_cast<std::int32_t>(rank);
    usage.fixed.process_id = static_cast<std::uint64_t>(::getpid());
    usage.fixed.thread_id = usage.fixed.process_id;
    usage.fixed.time = static_cast<std::uint64_t>(row.time_ns);
    usage.fixed.used = static_cast<std::uint64_t>(row.allocated_bytes);
    usage.fixed.peak = static_cast<std::uint64_t>(peak);
    usage.fixed.reserved = static_cast<std::uint64_t>(row.reserved_bytes);
    usage.fixed.held_by_events = static_cast<std::uint64_t>(
        std::max<std::int64_t>(row.active_bytes - row.allocated_bytes, 0));
    // Memory for an operator is taken just before it runs.
    if (next_run < runs.size()) usage.owner = runs[next_run].name;
    if (size > 0) {
      usage.fixed.address = next_address;
      usage.fixed.size = static_cast<std::uint64_t>(size);
      blocks[size].push_back(next_address);
      next_address += static_cast<std::uint64_t>(size);
    } else if (size < 0) {
      auto& same = blocks[-size];
      usage.fixed.size = ms::kReleased;
      if (!same.empty()) {
        usage.fixed.address = same.back();
        same.pop_back();
      }
    } else {
      continue;
    }
    writer.put(usage);
  }
  return writer.close();
}

}  // namespace npuprof::mindspore_hooks
