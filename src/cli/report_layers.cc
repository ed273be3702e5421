#include "cli/report_layers.h"

#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/log.h"

namespace npuprof::cli {
namespace {

// Keys of the file and the names of layers they stand for.
constexpr std::pair<std::string_view, std::string_view> kLayers[] = {
    {"acc_pmu", "Acc PMU"},
    {"ascend", "Ascend Hardware"},
    {"biu_perf", "Biu Perf"},
    {"block_detail", "Block Detail"},
    {"cann", "CANN"},
    {"ccu", "CCU"},
    {"communication", "Communication"},
    {"cpu_usage", "CPU Usage"},
    {"ddr", "DDR"},
    {"device_tx", report::kDeviceMarks},
    {"disk_usage", "Disk Usage"},
    {"dpu", "DPU"},
    {"freq", "AI Core Freq"},
    {"fusion_task", "Fusion Task"},
    {"hbm", "HBM"},
    {"hccs", "HCCS"},
    {"llc", "LLC"},
    {"memory_usage", "Memory Usage"},
    {"msproftx", report::kHostMarks},
    {"network_usage", "Network Usage"},
    {"nic", "NIC"},
    {"npu_mem", "NPU MEM"},
    {"os_runtime_api", "OS Runtime API"},
    {"overlap_analyse", "Overlap Analysis"},
    {"pcie", "PCIe"},
    {"qos", "QoS"},
    {"roce", "RoCE"},
    {"sio", "SIO"},
    {"stars_chip_trans", "Stars Chip Trans"},
    {"stars_soc", "Stars Soc Info"},
    {"step_trace", "Step Trace"},
    {"ub", "Ub"},
};

}  // namespace

Result<report::LayerNames> read_hidden_layers(const std::filesystem::path& path) {
  NPUPROF_ASSIGN_OR_RETURN(const std::string text, read_file(path));
  report::LayerNames hidden;
  const nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  if (!file.is_object() || !file.contains("json_process") || !file["json_process"].is_object()) {
    log::warning(
        "'{}' is not of the form {{\"json_process\": {{\"hbm\": false}}}}: the timeline "
        "shows all layers",
        path.native());
    return hidden;
  }
  for (const auto& [key, layer] : kLayers) {
    const auto shown = file["json_process"].find(key);
    if (shown != file["json_process"].end() && *shown == false) hidden.emplace(layer);
  }
  return hidden;
}

}  // namespace npuprof::cli
