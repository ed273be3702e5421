#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/string_pool.h"
#include "trace/linked/result_metrics.h"
#include "trace/row.h"
#include "trace/tables.h"

namespace npuprof::trace {

enum class Framework : std::uint8_t { kNoFramework, kPyTorch, kMindSpore };
enum class Level : std::uint8_t { kNoTasks, kLevel0, kLevel1, kLevel2, kUnknown };
// Results (a database, tables, a timeline) carry the outcome of joins: link adds what they lack.
enum class Origin : std::uint8_t { kRawData, kResults };

// One device of the profile, from its info.json and sample.json.
struct DeviceInfo {
  std::uint16_t id = 0;
  std::uint32_t chip = 0;  // platform_version
  std::uint32_t ai_core_count = 0;
  std::uint32_t vector_core_count = 0;
  double aic_mhz = 0;
  double counter_mhz = 0;
  std::string aic_metrics;  // Group name, e.g. PipeUtilizationExct; empty = off.
  std::string aiv_metrics;
  std::vector<std::uint32_t> aic_events;  // Event numbers in counter order.
  std::vector<std::uint32_t> aiv_events;
  std::vector<std::uint32_t> l2_events;
  std::vector<std::uint32_t> smmu_events;
  std::vector<std::string> qos_streams;
  std::string llc_mode;                // read or write; on the 310 bandwidth or capacity.
  std::vector<std::uint32_t> ai_cpus;  // Numbers of the CPUs that run kernels.
  std::vector<std::uint32_t> control_cpus;
  std::vector<std::uint32_t> scheduler_events;  // Events of the task scheduler's CPU to show.
  bool sample_based = false;
  bool task_blocks = false;
  std::uint32_t instruction_sample_cycles = 0;  // Between samples of instruction profiling.
  std::int64_t counter_begin_ns = 0;            // Wall time of the first counter value.
};

// The machine and the run, from the control files.
struct Session {
  std::int64_t begin_ns =
      0;  // Wall time of collection start; records before it are dropped on export.
  std::int64_t end_ns = 0;  // 0 = unknown: the run was killed.
  std::int64_t monotonic_to_wall_ns = 0;
  std::uint32_t pid = 0;
  std::string process_name;
  std::string host_name;
  std::string host_uid;
  std::string cann_version;
  std::uint32_t chip = 0;            // platform_version of the host directory
  std::uint64_t driver_version = 0;  // Device logs carry flip records from 0x072211 on.
  bool expanded_stream_ids = false;  // Device logs use 15-bit stream ids.
  std::uint32_t cpu_count = 0;
  std::uint64_t memory_kb = 0;
  std::vector<std::pair<std::string, std::int64_t>> network_cards;  // Name, Mbit/s.
  double host_counter_mhz = 0;
  double disk_sample_hz = 0;
  Level level = Level::kUnknown;
  Framework framework = Framework::kNoFramework;
  Origin origin = Origin::kRawData;
  std::int32_t rank = -1;
  bool simulated = false;
  // Names of components (ModuleMemory::module) as results give them.
  std::map<std::uint32_t, std::string> module_names;
  std::string profiler_info;      // JSON text of profiler_info*.json, empty if there is none.
  std::string profiler_metadata;  // JSON text of profiler_metadata.json.
};

// A profile of one process (one rank): everything to the right of `load` works on this alone.
// Filled in stages: load/ fills the tables of framework/, host/, device/ and machine/, link/ those
// of launched/ and then of linked/. Loaders of results fill those of linked/ themselves, and the
// tables of raw records only as far as the results repeat them. A table with no rows means the data
// was not collected.
//
// Each table is a function, `trace.tasks()`. This header does not include the tables: a file
// includes those it uses ("trace/linked/tasks.h"), and is compiled again only when these change.
// all_tables.h has what is done with every table.
class Trace {
 public:
  Trace();
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

  StringPool strings;
  Session session;
  std::vector<DeviceInfo> devices;
  ResultMetrics result_metrics;

#define NPUPROF_ACCESS(Table, name, kind)  \
  Table& name() { return *name##_table_; } \
  const Table& name() const { return *name##_table_; }
  NPUPROF_TRACE_TABLES(NPUPROF_ACCESS)
#undef NPUPROF_ACCESS

 private:
#define NPUPROF_MEMBER(Table, name, kind) std::unique_ptr<Table> name##_table_;
  NPUPROF_TRACE_TABLES(NPUPROF_MEMBER)
#undef NPUPROF_MEMBER
};

}  // namespace npuprof::trace
