#include <algorithm>
#include <array>

#include "answers/advisor_answer.h"
#include "answers/api_statistic_answer.h"
#include "answers/communication_answer.h"
#include "answers/data_pipeline_answer.h"
#include "answers/head_overhead_answer.h"
#include "answers/host_lead_answer.h"
#include "answers/idle_answer.h"
#include "answers/kernels_answer.h"
#include "answers/memory_answer.h"
#include "answers/mode.h"
#include "answers/module_statistic_answer.h"
#include "answers/op_statistic_answer.h"
#include "answers/operator_mfu_answer.h"
#include "answers/python_answer.h"
#include "answers/serving_answer.h"
#include "answers/step_time_answer.h"

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
