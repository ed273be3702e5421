#include <algorithm>
#include <array>

#include "answers/advisor.h"
#include "answers/api_statistic.h"
#include "answers/communication.h"
#include "answers/data_pipeline.h"
#include "answers/head_overhead.h"
#include "answers/host_lead.h"
#include "answers/idle.h"
#include "answers/kernels.h"
#include "answers/memory.h"
#include "answers/mode.h"
#include "answers/module_statistic.h"
#include "answers/op_statistic.h"
#include "answers/operator_mfu.h"
#include "answers/python.h"
#include "answers/serving.h"
#include "answers/step_time.h"

namespace npuprof::answers {

std::span<const Mode* const> all_modes() {
  static constexpr std::array kModes = {
      &kStepTimeMode,     &kIdleMode,     &kModuleStatisticMode, &kOperatorMfuMode,
      &kOpStatisticMode,  &kKernelsMode,  &kCommunicationMode,   &kMemoryMode,
      &kHeadOverheadMode, &kHostLeadMode, &kServingMode,         &kApiStatisticMode,
      &kDataPipelineMode, &kPythonMode,   &kAdvisorMode,
  };
  return kModes;
}

const Mode* find_mode(std::string_view name) {
  const auto modes = all_modes();
  const auto found = std::find_if(modes.begin(), modes.end(),
                                  [&](const Mode* mode) { return mode->name == name; });
  return found == modes.end() ? nullptr : *found;
}

}  // namespace npuprof::answers
