#pragma once

// What the parts of the database loader share. Each part reads some tables of
// `{ascend_pytorch_profiler,ascend_mindspore_profiler,msprof}*.db` into the trace.

#include <cstdint>
#include <vector>

#include "base/string_pool.h"
#include "load/id_rows.h"
#include "load/result_db/sqlite_file.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Connections of marks that the device saw are numbered above this one, which means "none".
inline constexpr std::int64_t kNoMarkConnection = 4000000000;

// Parts of a global thread id.
inline std::uint32_t pid_of(std::int64_t global_tid) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(global_tid) >> 32);
}
inline std::uint32_t tid_of(std::int64_t global_tid) {
  return static_cast<std::uint32_t>(global_tid);
}

// STRING_IDS: what the numbers in other tables mean.
class DatabaseTexts {
 public:
  DatabaseTexts() = default;
  DatabaseTexts(const SqliteFile& file, StringPool& strings, trace::Losses& losses);

  // The empty string for an unknown number.
  StringId find(std::int64_t id) const {
    const std::uint32_t row = rows_.find(id);
    return row == trace::kNone ? kEmptyString : texts_[row];
  }
  bool empty() const { return texts_.empty(); }

 private:
  IdRows rows_;
  std::vector<StringId> texts_;
};

struct Database {
  const SqliteFile& file;
  trace::Trace& trace;
  trace::Losses& losses;
  DatabaseTexts texts;

  // Set by read_host_calls: rows of ApiCalls by connection id.
  IdRows calls;
  // Set by read_tasks: rows of Tasks by global task id and by connection id.
  IdRows tasks;
  IdRows tasks_of_connection;

  StringId text(const TableReader& row, int column) const {
    return row.is_null(column) ? kEmptyString : texts.find(row.integer(column, -1));
  }
};

// SESSION_TIME_INFO, NPU_INFO, HOST_INFO, RANK_DEVICE_MAP, META_DATA.
void read_session(Database& database);
// CANN_API, MSTX_EVENTS.
void read_host_calls(Database& database);
void read_marks(Database& database);
// TASK, MEMCPY_INFO; COMPUTE_TASK_INFO, COMMUNICATION_SCHEDULE_TASK_INFO, TASK_PMU_INFO.
void read_tasks(Database& database);
void read_kernels(Database& database);
// COMMUNICATION_OP, COMMUNICATION_TASK_INFO, OVERLAP_ANALYSIS.
void read_collectives(Database& database);
void read_overlap(Database& database);
// AICORE_FREQ, NPU_MEM, NPU_MODULE_MEM, ENUM_MODULE, NPU_OP_MEM.
void read_samples(Database& database);
// HBM, LLC, DDR, HCCS, UB, SIO, QOS, NETDEV_STATS, NIC, ROCE, PCIE, ACC_PMU, SOC_BANDWIDTH_LEVEL,
// CPU_USAGE, HOST_*_USAGE.
void read_rates(Database& database);
// PYTORCH_API, CONNECTION_IDS, PYTORCH_CALLCHAINS, STEP_TIME, GC_RECORD.
void read_framework(Database& database);
// MEMORY_RECORD, OP_MEMORY.
void read_framework_memory(Database& database);

}  // namespace npuprof::load
