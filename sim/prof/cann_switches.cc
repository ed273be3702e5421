#include "sim/prof/cann_switches.h"

#include <charconv>

#include "include/npuprof/cann_abi.h"

namespace npuprof::sim {
namespace {

CollectionLevel level_of(std::uint64_t bits) {
  constexpr std::uint64_t kDetails = NPUPROF_PROF_TASK_TIME | NPUPROF_PROF_TASK_TIME_L2 |
                                     NPUPROF_PROF_TASK_TIME_L3 | NPUPROF_PROF_OP_ATTR;
  if ((bits & kDetails) != 0) {
    constexpr std::uint64_t kMore = NPUPROF_PROF_RUNTIME_API | NPUPROF_PROF_AICPU;
    return (bits & kMore) == kMore ? CollectionLevel::kLevel2 : CollectionLevel::kLevel1;
  }
  return (bits & NPUPROF_PROF_TASK_TIME_L0) != 0 ? CollectionLevel::kLevel0
                                                 : CollectionLevel::kNone;
}

}  // namespace

std::optional<std::uint32_t> number_in(std::string_view text, std::uint32_t low,
                                       std::uint32_t high) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < low || value > high) return std::nullopt;
  return value;
}

std::optional<HostSystem> host_system(std::string_view list) {
  HostSystem result;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    if (item == "cpu") {
      result.cpu = true;
    } else if (item == "mem") {
      result.memory = true;
    } else if (item == "disk") {
      result.disk = true;
    } else if (item == "network") {
      result.network = true;
    } else {  // "osrt" and "numa" need tools that are not simulated.
      return std::nullopt;
    }
    if (comma == std::string_view::npos) return result;
    list.remove_prefix(comma + 1);
  }
}

CollectionSettings settings_of(const CannSwitches& switches) {
  CollectionSettings options;
  options.level = level_of(switches.bits);
  const bool metrics = (switches.bits & NPUPROF_PROF_AICORE_METRICS) != 0;
  options.aic_metrics = {metrics ? static_cast<MetricGroup>(switches.metrics) : MetricGroup::kNone,
                         {}};
  options.l2_cache = (switches.bits & NPUPROF_PROF_L2CACHE) != 0;
  options.mstx = (switches.bits & NPUPROF_PROF_MSPROFTX) != 0;
  options.op_attr = (switches.bits & NPUPROF_PROF_OP_ATTR) != 0;
  options.operator_memory = (switches.bits & NPUPROF_PROF_TASK_MEMORY) != 0;
  options.with_runtime_api = (switches.bits & NPUPROF_PROF_RUNTIME_API) != 0;
  options.with_acl_api = (switches.bits & NPUPROF_PROF_ACL_API) != 0;
  options.with_aicpu = (switches.bits & NPUPROF_PROF_AICPU) != 0;
  options.training_trace = (switches.bits & NPUPROF_PROF_TRAINING_TRACE) != 0;
  const auto frequency = [&](int type, bool& on, std::uint32_t& hz) {
    const auto setting = switches.settings.find(type);
    if (setting == switches.settings.end()) return;
    on = true;
    hz = number_in(setting->second, 1, 10000).value_or(hz);
  };
  bool ignored = false;
  frequency(NPUPROF_CONFIG_MEMORY_FREQUENCY, options.memory, options.memory_hz);
  frequency(NPUPROF_CONFIG_IO_FREQUENCY, options.sys_io, options.sys_io_hz);
  frequency(NPUPROF_CONFIG_INTERCONNECTION_FREQUENCY, options.sys_interconnection,
            options.sys_interconnection_hz);
  frequency(NPUPROF_CONFIG_HOST_SYS_USAGE_FREQUENCY, ignored, options.host_sys_hz);
  for (const int type : {NPUPROF_CONFIG_HOST_SYS_USAGE, NPUPROF_CONFIG_HOST_SYS}) {
    if (const auto setting = switches.settings.find(type); setting != switches.settings.end()) {
      options.host_sys = host_system(setting->second).value_or(HostSystem{});
    }
  }
  return options;
}

}  // namespace npuprof::sim
