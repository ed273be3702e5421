#include "report/tables/memory_record_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/memory_record.h"
#include "format/results/memory_columns.h"
#include "report/tables/stored_table.h"
#include "report/tables/text_table.h"

namespace npuprof::report {
namespace {

using analyze::MemoryRecord;
using analyze::PoolMemoryRecords;
using trace::Trace;

namespace record = format::results::memory_record;

struct RecordRow : MemoryRecord {
  std::int64_t component_id = 0;

  std::optional<std::int64_t> known_allocated() const {
    return only_reserved ? std::nullopt : std::optional(allocated_bytes);
  }
  std::optional<std::int64_t> known_active() const {
    return has_active ? std::optional(active_bytes) : std::nullopt;
  }
};

constexpr auto kMemoryRecord = shared_table(
    record::kFile, record::kTable,  //
    column(record::kComponent, &RecordRow::component, &RecordRow::component_id),
    column(record::kTime, &RecordRow::time_ns),
    column(record::kAllocated, &RecordRow::known_allocated, &RecordRow::allocated_bytes),
    column(record::kReserved, &RecordRow::reserved_bytes),
    column(record::kActive, &RecordRow::known_active, &RecordRow::active_bytes),
    column(record::kStream, &RecordRow::stream), column(record::kDevice, &RecordRow::device));

// Files of MindSpore know no streams, and say 0 where nothing is known.
constexpr auto kMindSporeMemoryRecord =
    text_table(record::kFile,  //
               column(record::kComponent.text, &RecordRow::component),
               column(TextColumn{record::kTime.text.header, Print::kUs}, &RecordRow::time_ns),
               column(record::kAllocated.text, &RecordRow::allocated_bytes),
               column(record::kReserved.text, &RecordRow::reserved_bytes),
               column(record::kActive.text, &RecordRow::active_bytes),
               column(record::kDevice.text, &RecordRow::device));

// Events of the pools, then samples of the process.
class MindSporeTextRecords {
 public:
  explicit MindSporeTextRecords(const Trace& trace)
      : pools_(trace), process_(analyze::process_memory_records(trace)) {}

  std::size_t size() const { return pools_.size() + process_.size(); }
  RecordRow operator[](std::size_t i) const {
    return {i < pools_.size() ? pools_[i] : process_[i - pools_.size()]};
  }

 private:
  PoolMemoryRecords pools_;
  std::vector<MemoryRecord> process_;
};

// Samples of the process, then events of the pools.
class TextRecords {
 public:
  explicit TextRecords(const Trace& trace)
      : process_(analyze::process_memory_records(trace)), pools_(trace) {}

  std::size_t size() const { return process_.size() + pools_.size(); }
  RecordRow operator[](std::size_t i) const {
    return {i < process_.size() ? process_[i] : pools_[i - process_.size()]};
  }

 private:
  std::vector<MemoryRecord> process_;
  PoolMemoryRecords pools_;
};

class StoredRecords {
 public:
  StoredRecords(const Trace& trace, sqlite::DatabaseStrings& strings) : records_(trace) {
    // In the order in which they first appear, so that they get the same numbers in any run.
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const std::size_t component = records_.component(i);
      if (component_ids_[component] == 0) {
        component_ids_[component] = strings.id(records_.component_name(component));
      }
    }
  }

  std::size_t size() const { return records_.size(); }
  RecordRow operator[](std::size_t i) const {
    return {records_[i], component_ids_[records_.component(i)]};
  }

 private:
  PoolMemoryRecords records_;
  std::array<std::int64_t, PoolMemoryRecords::kComponents.size()> component_ids_{};
};

}  // namespace

Status write_memory_record(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  if (trace.session.framework == trace::Framework::kMindSpore) {
    return write_text_table<kMindSporeMemoryRecord>(MindSporeTextRecords(trace), target, pool);
  }
  return write_text_table<kMemoryRecord>(TextRecords(trace), target, pool);
}

void write_memory_record(const Trace& trace, sqlite::DatabaseStrings& strings,
                         sqlite::BulkDatabase& database) {
  const StoredRecords rows(trace, strings);
  if (rows.size() > 0) sqlite::write_stored_table<kMemoryRecord>(rows, database);
}

}  // namespace npuprof::report
