#include "link/host/task_kinds.h"

#include "format/host/enumerations.h"
#include "format/host/levels.h"

namespace npuprof::link {

using format::host::GeTaskType;

namespace {

// Names of types are words in capitals: "KERNEL_AICORE". Others come from a damaged dictionary.
bool is_type_name(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ";
  return !name.empty() && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

TaskKind TaskKinds::classify(std::uint16_t type, std::string_view name) {
  if (!is_type_name(name)) name = format::host::task_type_name(type);
  TaskKind kind{.is_known = true};
  kind.is_kernel = name.starts_with("KERNEL");
  kind.is_stars_common = name == "STARS_COMMON";
  kind.is_ffts_plus = name == "FFTS_PLUS";
  kind.is_aicore = name == "KERNEL_AICORE";
  kind.is_aicpu = name == "KERNEL_AICPU";
  const auto plain = [&](std::string_view wanted, GeTaskType ge_task_type) {
    if (name != wanted) return false;
    kind.is_plain_kernel = true;
    kind.ge_task_type = static_cast<std::uint32_t>(ge_task_type);
    return true;
  };
  const bool is_mix_aic = plain("KERNEL_MIX_AIC", GeTaskType::kMixAic);
  const bool is_mix_aiv = plain("KERNEL_MIX_AIV", GeTaskType::kMixAiv);
  kind.is_mix = is_mix_aic || is_mix_aiv;
  plain("KERNEL_AICORE", GeTaskType::kAiCore);
  plain("KERNEL_AIVEC", GeTaskType::kAiVectorCore);
  plain("KERNEL_SIMT", GeTaskType::kAiVectorCore);
  plain("KERNEL_AICPU", GeTaskType::kAiCpu);
  kind.may_have_contexts = kind.is_ffts_plus || (kind.is_plain_kernel && !kind.is_aicpu);
  return kind;
}

}  // namespace npuprof::link
