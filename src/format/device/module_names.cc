#include "format/device/module_names.h"

#include <algorithm>
#include <array>

namespace npuprof::format::device {
namespace {

// Ordered by id.
constexpr std::array kModules = {
    ModuleName{0, "SLOG"},       ModuleName{1, "IDEDD"},
    ModuleName{2, "SCC"},        ModuleName{3, "HCCL"},
    ModuleName{4, "FMK"},        ModuleName{5, "CCU"},
    ModuleName{6, "DVPP"},       ModuleName{7, "RUNTIME"},
    ModuleName{8, "CCE"},        ModuleName{9, "HDC"},
    ModuleName{10, "DRV"},       ModuleName{11, "NET"},
    ModuleName{22, "DEVMM"},     ModuleName{23, "KERNEL"},
    ModuleName{24, "LIBMEDIA"},  ModuleName{25, "CCECPU"},
    ModuleName{27, "ROS"},       ModuleName{28, "HCCP"},
    ModuleName{29, "ROCE"},      ModuleName{30, "TEFUSION"},
    ModuleName{31, "PROFILING"}, ModuleName{32, "DP"},
    ModuleName{33, "APP"},       ModuleName{34, "TS"},
    ModuleName{35, "TSDUMP"},    ModuleName{36, "AICPU"},
    ModuleName{37, "LP"},        ModuleName{38, "TDT"},
    ModuleName{39, "FE"},        ModuleName{40, "MD"},
    ModuleName{41, "MB"},        ModuleName{42, "ME"},
    ModuleName{43, "IMU"},       ModuleName{44, "IMP"},
    ModuleName{45, "GE"},        ModuleName{47, "CAMERA"},
    ModuleName{48, "ASCENDCL"},  ModuleName{49, "TEEOS"},
    ModuleName{50, "ISP"},       ModuleName{51, "SIS"},
    ModuleName{52, "HSM"},       ModuleName{53, "DSS"},
    ModuleName{54, "PROCMGR"},   ModuleName{55, "BBOX"},
    ModuleName{56, "AIVECTOR"},  ModuleName{57, "TBE"},
    ModuleName{58, "FV"},        ModuleName{59, "MDCMAP"},
    ModuleName{60, "TUNE"},      ModuleName{61, "HSS"},
    ModuleName{62, "FFTS"},      ModuleName{63, "OP"},
    ModuleName{64, "UDF"},       ModuleName{65, "HICAID"},
    ModuleName{66, "TSYNC"},     ModuleName{67, "AUDIO"},
    ModuleName{68, "TPRT"},      ModuleName{69, "ASCENDCKERNEL"},
    ModuleName{70, "ASYS"},      ModuleName{71, "ATRACE"},
    ModuleName{72, "RTC"},       ModuleName{73, "SYSMONITOR"},
    ModuleName{74, "AMP"},       ModuleName{75, "ADETECT"},
    ModuleName{76, "MBUFF"},     ModuleName{77, "CUSTOM"},
};
static_assert(std::is_sorted(kModules.begin(), kModules.end(),
                             [](const ModuleName& a, const ModuleName& b) { return a.id < b.id; }));

// Names that ids had in releases up to the beginning of 2025, where they have another one today or
// none.
constexpr ModuleName kFormerModules[] = {
    {2, "IDEDH"},          {5, "HIAIENGINE"},  {11, "MDCFUSION"}, {12, "MDCLOCATION"},
    {13, "MDCPERCEPTION"}, {14, "MDCFSM"},     {15, "MDCCOMMON"}, {16, "MDCMONITOR"},
    {17, "MDCBSWP"},       {18, "MDCDEFAULT"}, {19, "MDCSC"},     {20, "MDCPNC"},
    {21, "MLL"},           {26, "ASCENDDK"},   {46, "MDCFUSA"},   {74, "AML"}};

}  // namespace

std::span<const ModuleName> module_names() { return kModules; }

std::string_view module_name(std::uint32_t id) {
  for (const auto names : {module_names(), std::span<const ModuleName>(kFormerModules)}) {
    const auto found = std::lower_bound(
        names.begin(), names.end(), id,
        [](const ModuleName& module, std::uint32_t wanted) { return module.id < wanted; });
    if (found != names.end() && found->id == id) return found->name;
  }
  return {};
}

std::optional<std::uint32_t> module_from_name(std::string_view name) {
  for (const auto names : {module_names(), std::span<const ModuleName>(kFormerModules)}) {
    for (const ModuleName& module : names) {
      if (module.name == name) return module.id;
    }
  }
  return std::nullopt;
}

}  // namespace npuprof::format::device
