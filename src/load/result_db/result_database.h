#pragma once

// What the parts of the database loader share. Each part reads some tables of
// `{ascend_pytorch_profiler,ascend_mindspore_profiler,msprof}*.db` into the trace.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/string_pool.h"
#include "base/units.h"
#include "format/results/host_columns.h"
#include "load/id_rows.h"
#include "load/result_db/sqlite_file.h"
#include "trace/losses.h"
#include "trace/parts.h"
#include "trace/trace.h"

namespace npuprof::load {

namespace results = format::results;

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

  // The empty string for an unknown number; these are counted.
  StringId find(std::int64_t id) const {
    const std::uint32_t row = rows_.find(id);
    if (row != trace::kNone) return texts_[row];
    ++unknown_;
    return kEmptyString;
  }
  // Empty also for texts that databases have as N/A if they are absent.
  StringId find_known(std::int64_t id) const {
    const StringId found = find(id);
    return found == not_available_ ? kEmptyString : found;
  }
  bool empty() const { return texts_.empty(); }
  std::uint64_t unknown() const { return unknown_; }

 private:
  IdRows rows_;
  std::vector<StringId> texts_;
  StringId not_available_ = kEmptyString;  // N/A, if there is such a text.
  mutable std::uint64_t unknown_ = 0;
};

// Without Part::kDetails: which calls and ranges of the queue are kept all the same.
class KeptLaunches {
 public:
  void add_connection(std::int64_t connection) { connections_.push_back(connection); }
  void add_moment(std::uint32_t tid, std::int64_t time_ns) {
    moments_[tid].times_ns.push_back(time_ns);
  }
  // After the last of either.
  void sort();

  bool has_connections() const { return !connections_.empty(); }
  bool has_connection(std::int64_t connection) const {
    return std::binary_search(connections_.begin(), connections_.end(), connection);
  }
  // Whether one of the moments of the thread lies in the interval. Quick if threads are asked about
  // in order of time.
  bool has_moment_in(std::uint32_t tid, std::int64_t start_ns, std::int64_t end_ns);

 private:
  struct Moments {
    std::vector<std::int64_t> times_ns;
    std::size_t place = 0;  // How many lie before what was asked for last.
  };
  std::vector<std::int64_t> connections_;  // Of calls.
  std::unordered_map<std::uint32_t, Moments> moments_;
};

struct Database {
  const SqliteFile& file;
  trace::Trace& trace;
  trace::Losses& losses;
  trace::Parts wanted;
  DatabaseTexts texts;

  KeptLaunches kept{};  // Complete after read_marks.

  bool lacks_backward_pairs = false;  // Set by read_framework.

  bool has_details() const { return wanted.has(trace::Part::kDetails); }

  // Set by read_host_calls: rows of ApiCalls by connection id. Known until read_framework.
  IdRows calls;
  // Set by read_tasks: rows of Tasks by global task id, until read_framework; by connection id.
  IdRows tasks;
  IdRows tasks_of_connection;

  StringId text(const TableReader& row, int column) const {
    return row.is_null(column) ? kEmptyString : texts.find(row.integer(column, -1));
  }

  // The same for texts that databases have as N/A if they are absent.
  StringId known_text(const TableReader& row, int column) const {
    return row.is_null(column) ? kEmptyString : texts.find_known(row.integer(column, -1));
  }

  // The row of ApiCalls, kNone if there is none. Calls before the first step are not written, so
  // some connections lead nowhere; if all do, the calls are missing.
  // The call that work with this connection, begun at a time, came from: of several that share the
  // number the last one before. kNone if there is none.
  std::uint32_t find_call(std::int64_t connection, std::int64_t begun_ns);
  std::uint64_t missing_calls = 0;
  std::uint64_t backward_links = 0;  // Left out: they lead to what had begun already.

  void add_loss(std::uint64_t rows, const std::string& what) {
    if (rows > 0) losses.add(file.path().native(), 0, rows, std::to_string(rows) + " " + what);
  }
};

// Devices that other tables name and NPU_INFO does not: nothing is known of them but that.
void add_unlisted_devices(Database& database);
// SESSION_TIME_INFO, NPU_INFO, HOST_INFO, RANK_DEVICE_MAP, META_DATA.
void read_session(Database& database);
// Of what Part::kDetails leaves out, the calls that collectives came from.
void find_kept_launches(Database& database);
// CANN_API, MSTX_EVENTS.
void read_host_calls(Database& database);
void read_marks(Database& database);
// TASK, MEMCPY_INFO; COMPUTE_TASK_INFO, COMMUNICATION_SCHEDULE_TASK_INFO, TASK_PMU_INFO.
void read_tasks(Database& database);
void read_kernels(Database& database);
// COMMUNICATION_OP, COMMUNICATION_TASK_INFO, OVERLAP_ANALYSIS.
void read_collectives(Database& database);
void read_overlap(Database& database);
// AICORE_FREQ; NPU_MEM, NPU_MODULE_MEM, ENUM_MODULE, NPU_OP_MEM.
void read_frequencies(Database& database);
void read_memory_samples(Database& database);
// HBM, LLC, DDR, HCCS, UB, SIO, QOS, NETDEV_STATS, NIC, ROCE, PCIE, ACC_PMU, SOC_BANDWIDTH_LEVEL,
// CPU_USAGE, HOST_*_USAGE.
void read_rates(Database& database);
// PYTORCH_API or MINDSPORE_API, CONNECTION_IDS, PYTORCH_CALLCHAINS, STEP_TIME, GC_RECORD.
void read_framework(Database& database);
// Whether this program wrote it of a profile of MindSpore: MindSpore's own databases have nothing
// of the framework.
bool has_mindspore_tables(const SqliteFile& file);
// MINDSPORE_CPU_OP, MINDDATA_*.
void read_mindspore(Database& database);
// MEMORY_RECORD, OP_MEMORY.
void read_framework_memory(Database& database);

}  // namespace npuprof::load
