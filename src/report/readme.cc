#include "report/readme.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;

struct Description {
  std::string_view stem;
  std::string_view text;
};

// By stem; for a file the longest stem that its name begins with counts.
constexpr std::array kDescriptions{
    Description{"ai_core_utilization", "How busy each AI core was, for runs that sample counters."},
    Description{"ai_cpu_pmu_events", "What the AI CPUs counted."},
    Description{"ai_cpu_top_function", "Functions in which the AI CPUs spent most cycles."},
    Description{"ai_vector_core_utilization",
                "How busy each vector core was, for runs that sample counters."},
    Description{"aicpu", "Kernels on AI CPUs: time spent waiting, copying and computing."},
    Description{"aicpu_mi", "Waits of the data queue, as the AI CPU saw them."},
    Description{"api_statistic", "Host calls by layer and name: count, total, average and spread."},
    Description{"ccu_channel", "Bandwidth of the channels of the communication unit."},
    Description{"ccu_mission", "What the communication unit did, and which ranks it waited for."},
    Description{"communication_statistic", "Collectives by type: count and times."},
    Description{"cpu_usage", "What the CPUs of the device, or of the host, did with their time."},
    Description{"ctrl_cpu_pmu_events", "What the control CPUs of the device counted."},
    Description{"ctrl_cpu_top_function",
                "Functions in which the control CPUs of the device spent most cycles."},
    Description{"ddr", "Read and write bandwidth of device memory (DDR)."},
    Description{"dp", "Actions of the data preprocessing queue."},
    Description{"dvpp", "Load of the image and video engines."},
    Description{"fusion_op", "Operators that the graph compiler fused, and the memory they need."},
    Description{"hbm", "Read and write bandwidth of device memory (HBM)."},
    Description{"hccs", "Traffic of the links between devices."},
    Description{"host_cpu_usage", "CPUs of the host that the program used."},
    Description{"host_disk_usage", "Disk traffic of the host."},
    Description{"host_mem_usage", "Memory of the host that the program used."},
    Description{"host_network_usage", "Network traffic of the host."},
    Description{"l2_cache", "Hits and victims of the L2 cache for each kernel."},
    Description{"llc_aicpu", "Last level cache that each AI CPU used."},
    Description{"llc_bandwidth", "Throughput and hit rate of the last level cache."},
    Description{"llc_ctrlcpu", "Last level cache that each control CPU used."},
    Description{"llc_read_write", "Hit rate and throughput of the last level cache."},
    Description{"memory_record", "What CANN's operators had allocated, over time."},
    Description{"msprof",
                "Timeline of all layers. Opens in MindStudio Insight, Perfetto "
                "(ui.perfetto.dev) and chrome://tracing."},
    Description{"msprof_tx", "Marks and ranges that the program set, on host and device."},
    Description{"nic", "Traffic of the network cards."},
    Description{"npu_mem", "Device memory in use, by this process and in all."},
    Description{"npu_module_mem", "Device memory reserved by each component of CANN."},
    Description{"op_statistic", "Kernels by type and core: count, times, share of the total."},
    Description{"op_summary",
                "All kernels and collectives in order of start: times, shapes, core "
                "counters."},
    Description{"operator_memory", "Memory that CANN's operators asked for, and for how long."},
    Description{"os_runtime_statistic", "System calls of the host by thread and name."},
    Description{"page_fault", "Page faults of each kernel."},
    Description{"pcie", "Traffic between host and device."},
    Description{"process_cpu_usage", "Share of the CPUs that each process used."},
    Description{"process_mem", "Memory of each process, in pages."},
    Description{"roce", "Traffic of the RDMA network ports."},
    Description{"soc_pmu", "Hits and misses of the address translation for each kernel."},
    Description{"static_op_mem", "Memory planned for static graphs, operator by operator."},
    Description{"step_trace", "Iterations of graphs: forward, backward, update, reductions."},
    Description{"sys_mem", "Memory of the device's operating system, or of the host."},
    Description{"task_time", "All device tasks in order of start."},
    Description{"ts_cpu_pmu_events", "What the CPU of the task scheduler counted."},
    Description{"ts_cpu_top_function",
                "Addresses at which the CPU of the task scheduler spent most cycles."},
    Description{"ub", "Traffic of the unified bus ports."},
};

std::string_view describe(std::string_view file) {
  const Description* best = nullptr;
  for (const Description& description : kDescriptions) {
    const bool matches =
        file.starts_with(description.stem) &&
        (file.size() == description.stem.size() || file[description.stem.size()] == '_' ||
         file[description.stem.size()] == '.');
    if (matches && (best == nullptr || description.stem.size() > best->stem.size())) {
      best = &description;
    }
  }
  return best == nullptr ? "" : best->text;
}

// "op_summary_*.csv": the time of the export is no part of what a file is.
std::string without_time(std::string name) {
  constexpr std::size_t kTimeDigits = 14;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    digits = name[i] >= '0' && name[i] <= '9' ? digits + 1 : 0;
    if (digits == kTimeDigits) return name.replace(i + 1 - kTimeDigits, kTimeDigits, "*");
  }
  return name;
}

}  // namespace

Status write_readme(const fs::path& directory) {
  std::set<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(directory, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    names.insert(without_time(entry->path().filename().native()));
  }
  if (error) return Error::from_errno("cannot list", directory.native(), error.value());
  std::string text =
      "Results of npuprof. Times are in microseconds since 1970 where they are points in time;\n"
      "durations and other units are named in the column. N/A means that nothing is known.\n\n";
  for (const std::string& name : names) {
    const std::string_view about = describe(name);
    text += name;
    if (!about.empty()) text.append("\n    ").append(about);
    text += '\n';
  }
  return write_file(directory / "README.txt", text);
}

}  // namespace npuprof::report
