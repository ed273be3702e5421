#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cann/aicore_metrics.h"
#include "cann/profiling_options.h"
#include "npuprof/cann_abi.h"

namespace npuprof::cann {
namespace {

std::uint64_t bits_of(const ProfilingOptions& options) {
  std::uint64_t bits = NPUPROF_PROF_ACL_API;
  const auto add = [&bits](bool wanted, std::uint64_t bit) {
    if (wanted) bits |= bit;
  };
  add(options.training_trace, NPUPROF_PROF_TRAINING_TRACE);
  add(options.task_time >= TaskTime::kLevel0, NPUPROF_PROF_TASK_TIME_L0);
  // Communication is part of it here, and has a switch of its own there.
  add(options.task_time >= TaskTime::kLevel1, NPUPROF_PROF_TASK_TIME | NPUPROF_PROF_HCCL_TRACE);
  add(options.task_time >= TaskTime::kLevel2, NPUPROF_PROF_TASK_TIME_L2);
  add(options.task_time >= TaskTime::kLevel3, NPUPROF_PROF_TASK_TIME_L3);
  add(options.ge_api != "off", NPUPROF_PROF_GE_API_L0);
  add(options.ge_api == "l1", NPUPROF_PROF_GE_API_L1);
  add(options.runtime_api, NPUPROF_PROF_RUNTIME_API);
  add(options.hccl, NPUPROF_PROF_HCCL_TRACE);
  add(options.aicpu, NPUPROF_PROF_AICPU);
  add(options.l2, NPUPROF_PROF_L2CACHE);
  add(options.msproftx, NPUPROF_PROF_MSPROFTX);
  add(options.task_memory, NPUPROF_PROF_TASK_MEMORY);
  return bits;
}

}  // namespace

Switches make_switches(const ProfilingOptions& options, std::vector<std::string>& left_out) {
  Switches result;
  result.bits = bits_of(options);
  const bool has_metrics = !options.aic_metrics.empty() && options.custom_events.empty();
  result.metrics = has_metrics ? metrics_number(options.aic_metrics).value_or(NPUPROF_AICORE_NONE)
                               : int{NPUPROF_AICORE_NONE};
  if (result.metrics != NPUPROF_AICORE_NONE) result.bits |= NPUPROF_PROF_AICORE_METRICS;

  const auto set = [&result](bool wanted, int type, std::string value) {
    if (wanted) result.settings.emplace_back(type, std::move(value));
  };
  const auto set_frequency = [&](std::uint32_t hz, int type) {
    set(hz != 0, type, std::to_string(hz));
  };
  set(options.storage_limit_mb.has_value(), NPUPROF_CONFIG_STORAGE_LIMIT,
      fmt::format("{}MB", options.storage_limit_mb.value_or(0)));
  set_frequency(options.sys_hardware_mem_freq, NPUPROF_CONFIG_MEMORY_FREQUENCY);
  set(options.sys_hardware_mem_freq != 0, NPUPROF_CONFIG_LLC_MODE, options.llc_profiling);
  set_frequency(options.sys_io_sampling_freq, NPUPROF_CONFIG_IO_FREQUENCY);
  set_frequency(options.sys_interconnection_freq, NPUPROF_CONFIG_INTERCONNECTION_FREQUENCY);
  set_frequency(options.dvpp_freq, NPUPROF_CONFIG_DVPP_FREQUENCY);
  set_frequency(options.sys_cpu_freq, NPUPROF_CONFIG_CPU_FREQUENCY);
  set_frequency(options.sys_lp_freq, NPUPROF_CONFIG_LOW_POWER_FREQUENCY);
  set(!options.host_sys_usage.empty(), NPUPROF_CONFIG_HOST_SYS_USAGE,
      fmt::format("{}", fmt::join(options.host_sys_usage, ",")));
  set_frequency(options.host_sys_usage.empty() ? 0 : options.host_sys_usage_freq,
                NPUPROF_CONFIG_HOST_SYS_USAGE_FREQUENCY);
  set(!options.sys_mem_serviceflow.empty(), NPUPROF_CONFIG_MEMORY_SERVICE_FLOW,
      options.sys_mem_serviceflow);
  set(!options.optype.empty(), NPUPROF_CONFIG_OP_TYPE, options.optype);

  const auto leave_out = [&left_out](bool wanted, const char* key) {
    if (wanted) left_out.emplace_back(key);
  };
  leave_out(!options.custom_events.empty(), "aic_metrics Custom");
  leave_out(options.instr_profiling, "instr_profiling");
  leave_out(options.task_tsfw, "task_tsfw");
  leave_out(options.task_block != "off", "task_block");
  return result;
}

std::vector<std::string> not_simulated(const Switches& switches,
                                       std::span<const std::string> host_sys) {
  constexpr std::pair<int, const char*> kSettings[] = {
      {NPUPROF_CONFIG_DVPP_FREQUENCY, "dvpp_freq"},
      {NPUPROF_CONFIG_CPU_FREQUENCY, "sys_cpu_freq"},
      {NPUPROF_CONFIG_LOW_POWER_FREQUENCY, "sys_lp_freq"},
      {NPUPROF_CONFIG_MEMORY_SERVICE_FLOW, "sys_mem_serviceflow"},
      {NPUPROF_CONFIG_OP_TYPE, "optype"}};
  std::vector<std::string> names;
  for (const auto& [type, name] : kSettings) {
    const bool is_set =
        std::any_of(switches.settings.begin(), switches.settings.end(),
                    [type = type](const auto& setting) { return setting.first == type; });
    if (is_set) names.emplace_back(name);
  }
  for (const std::string& item : host_sys) {
    if (item == "osrt" || item == "numa") names.push_back("host_sys " + item);
  }
  return names;
}

}  // namespace npuprof::cann
