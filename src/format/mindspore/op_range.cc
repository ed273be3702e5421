#include "format/mindspore/op_range.h"

#include <array>
#include <cstddef>

#include "format/mindspore/file_names.h"

namespace npuprof::format::mindspore {
namespace {

constexpr std::array<std::string_view, 8> kModules = {
    "Default", "GraphExecutorPy", "RuntimeFramework", "PynativeFramework",
    "Kernel",  "Python",          "Capture",          "Other"};

constexpr std::array<std::string_view, 10> kStages = {
    "Default", "Python",  "Capture",          "RunGraph",     "RunGrad",
    "RunOp",   "Asnumpy", "CompileGradGraph", "WaitPipeline", "SyncStream"};

// "KernelLaunckCallback" is how MindSpore spells it.
constexpr std::array<std::string_view, 69> kEvents = {"Default",
                                                      "KernelInfer",
                                                      "KernelResize",
                                                      "KernelInferAndResize",
                                                      "KernelLaunch",
                                                      "KernelLaunckCallback",
                                                      "KernelUpdate",
                                                      "KernelPrepareData",
                                                      "GraphLaunch",
                                                      "InputProcess",
                                                      "OutputProcess",
                                                      "WaitTaskFinish",
                                                      "PreLaunch",
                                                      "PostLaunch",
                                                      "SendOutput",
                                                      "MemoryAlloc",
                                                      "MemoryFree",
                                                      "CopyData",
                                                      "StreamSync",
                                                      "ProcessMultiStream",
                                                      "WaitKernelsInferFinish",
                                                      "WaitKernelsResizeFinish",
                                                      "WaitKernelsLaunchFinish",
                                                      "KernelInferInner",
                                                      "KernelInferDataSync",
                                                      "KernelResizeInner",
                                                      "KernelLaunchInner",
                                                      "BackendGraphRunInner",
                                                      "RunOp",
                                                      "PyNativeFrontendTask",
                                                      "PyNativeBackendTask",
                                                      "PyNativeDeviceTask",
                                                      "PyNativeLaunchTask",
                                                      "PyNativeBpropTask",
                                                      "Wait",
                                                      "PyNativeGilAcquire",
                                                      "PyNativeCast",
                                                      "PyNativeInfer",
                                                      "PyNativeOpCompile",
                                                      "PyNativeGradExpander",
                                                      "PyNativeGradUpdateSens",
                                                      "PyNativeGradClearTopCell",
                                                      "PyNativeGradClearAutoGradCell",
                                                      "PyBoostInferOutput",
                                                      "PyBoostInferByOpDef",
                                                      "PyBoostCreateOutputTensor",
                                                      "PyBoostDeviceTask",
                                                      "PyBoostMallocInput",
                                                      "PyBoostMallocOutput",
                                                      "PyBoostLaunchAclnn",
                                                      "PyBoostLaunchAtb",
                                                      "PyNativeNewGraph",
                                                      "PyNativeEndGraph",
                                                      "PythonObserved",
                                                      "CaptureRunGraph",
                                                      "CaptureProcess",
                                                      "CaptureCompile",
                                                      "CaptureGuard",
                                                      "AclnnHitCacheStage1",
                                                      "AclnnHitCacheStage2",
                                                      "AclnnMissCacheStage1",
                                                      "AclnnMissCacheStage2",
                                                      "AclnnUpdateAddress",
                                                      "AclnnRunOp",
                                                      "RunExpanderFunc",
                                                      "EmitOp",
                                                      "Execute",
                                                      "ReleaseResource",
                                                      "NativeFunc"};

template <std::size_t kSize>
std::string_view range_name(const std::array<std::string_view, kSize>& names, std::uint16_t index) {
  return index < kSize ? names[index] : names[0];
}

template <std::size_t kSize>
std::optional<std::uint16_t> range_index(const std::array<std::string_view, kSize>& names,
                                         std::string_view name) {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (names[i] == name) return static_cast<std::uint16_t>(i);
  }
  return std::nullopt;
}

void append_three(std::string& out, std::string_view first, std::string_view second,
                  std::string_view third) {
  out.append(first).append("::").append(second).append("::").append(third);
}

}  // namespace

std::string_view module_name(std::uint16_t index) { return range_name(kModules, index); }
std::string_view event_name(std::uint16_t index) { return range_name(kEvents, index); }
std::string_view stage_name(std::uint16_t index) { return range_name(kStages, index); }

std::optional<std::uint16_t> module_index(std::string_view name) {
  return range_index(kModules, name);
}
std::optional<std::uint16_t> event_index(std::string_view name) {
  return range_index(kEvents, name);
}

void append_event_name(std::string& out, const OpRange& record) {
  const OpRangeFixed& fixed = record.fixed;
  if (fixed.is_stack != 0) {
    out += record.name;
  } else if (fixed.is_graph != 0) {
    append_three(out, record.module_text, record.event_text, record.name);
  } else if (fixed.is_stage != 0) {
    out += stage_name(fixed.stage);
  } else if (record.name == kFlowName) {
    out += record.full_name;
  } else {
    append_three(out, module_name(fixed.module), event_name(fixed.event), record.full_name);
  }
}

EventNameParts split_event_name(std::string_view name) {
  constexpr std::string_view kBetween = "::";
  const std::size_t first = name.find(kBetween);
  if (first == std::string_view::npos) return {{}, {}, name};
  const std::size_t begin = first + kBetween.size();
  const std::size_t second = name.find(kBetween, begin);
  if (second == std::string_view::npos) return {{}, {}, name};
  return {name.substr(0, first), name.substr(begin, second - begin),
          name.substr(second + kBetween.size())};
}

std::string_view brief_name(std::string_view full_name) {
  const std::size_t slash = full_name.rfind('/');
  const std::size_t number = full_name.rfind("-op");
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  if (number == std::string_view::npos || slash == std::string_view::npos || number < begin) {
    return full_name;
  }
  return full_name.substr(begin, number - begin);
}

bool is_launch_name(std::string_view event_name) {
  return event_name.find("KernelLaunch") != std::string_view::npos ||
         event_name.find("LaunchTask") != std::string_view::npos;
}

bool is_mark_name(std::string_view event_name) {
  return event_name.find("Mstx") != std::string_view::npos;
}

std::string ranked_file(std::string_view stem, std::int64_t rank, std::string_view suffix) {
  std::string name(stem);
  name.append("_").append(std::to_string(rank)).append(suffix);
  return name;
}

}  // namespace npuprof::format::mindspore
