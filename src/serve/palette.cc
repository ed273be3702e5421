#include "serve/palette.h"

#include <array>
#include <string>
#include <unordered_map>

#include "analyze/kernel_class.h"
#include "format/results/timeline_names.h"
#include "report/timeline/cann_layers.h"
#include "serve/idle_lane.h"
#include "trace/linked/kernels.h"

namespace npuprof::serve {
namespace {

using analyze::contains_word;

Palette palette_of_class(analyze::KernelClass kind) {
  switch (kind) {
    case analyze::KernelClass::kMatmul:
      return Palette::kCube;
    case analyze::KernelClass::kAttention:
      return Palette::kAttention;
    case analyze::KernelClass::kConvolution:
      return Palette::kConvolution;
    case analyze::KernelClass::kVector:
      return Palette::kVector;
    case analyze::KernelClass::kCommunication:
      return Palette::kCommunication;
    case analyze::KernelClass::kCopy:
      return Palette::kCopy;
  }
  return Palette::kVector;
}

// Of kernels by their names, as the first of each name is.
std::unordered_map<std::string_view, Palette> palette_of_kernels(const trace::Trace& trace) {
  const trace::Kernels& kernels = trace.kernels();
  std::unordered_map<std::string_view, Palette> known;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string_view name = trace.strings.view(kernels.name[i]);
    const auto [at, is_new] = known.try_emplace(name, Palette::kVector);
    if (!is_new) continue;
    const std::string_view type = trace.strings.view(kernels.op_type[i]);
    const bool is_ai_cpu = contains_word(trace.strings.view(kernels.task_type[i]), "ai_cpu");
    at->second = is_ai_cpu
                     ? Palette::kAiCpu
                     : palette_of_class(analyze::kernel_class(type.empty() ? name : type, ""));
  }
  return known;
}

// Tasks that are no kernels: "EVENT_WAIT", "MEMCPY_ASYNC".
Palette palette_of_task(std::string_view name) {
  for (const char* word : {"wait", "notify", "event", "record"}) {
    if (contains_word(name, word)) return Palette::kWait;
  }
  for (const char* word : {"memcpy", "sdma", "memset"}) {
    if (contains_word(name, word)) return Palette::kCopy;
  }
  return palette_of_class(analyze::kernel_class(name, ""));
}

Palette palette_of_overlap(std::string_view name) {
  if (name == "Computing") return Palette::kCube;
  if (name == "Communication") return Palette::kCommunication;
  return name == "Free" ? Palette::kFree : Palette::kUncovered;
}

Palette palette_of_host(const report::NameOrigin& origin, std::string_view name) {
  if (origin.category == format::results::category::kPythonCall ||
      origin.category == format::results::category::kGarbageCollection)
    return Palette::kPython;
  if (name.starts_with("ProfilerStep#")) return Palette::kMark;
  if (origin.layer == report::kCannLayer.name || origin.layer == format::results::layer::kOsCalls) {
    return Palette::kCann;
  }
  const bool is_framework = !origin.category.empty() ||
                            origin.layer == format::results::layer::kMindSpore ||
                            origin.layer == format::results::layer::kCpuOperators ||
                            origin.layer == format::results::layer::kPython;
  return is_framework ? Palette::kFramework : Palette::kMark;
}

// Of slices of the idle layer, which are named after their causes.
Palette palette_of_cause_name(std::string_view name) {
  for (std::size_t i = 0; i < analyze::kIdleCauseCount; ++i) {
    const auto cause = static_cast<analyze::IdleCause>(i);
    if (analyze::idle_cause_name(cause) == name) return palette_of_cause(cause);
  }
  return Palette::kFree;
}

}  // namespace

Palette palette_of_cause(analyze::IdleCause cause) {
  using analyze::IdleCause;
  switch (cause) {
    case IdleCause::kCopy:
      return Palette::kCopy;
    case IdleCause::kStreamWait:
      return Palette::kWait;
    case IdleCause::kRankWait:
      return Palette::kCommunication;
    case IdleCause::kStartLatency:
      return Palette::kVector;
    case IdleCause::kLaunch:
      return Palette::kCann;
    case IdleCause::kSynchronization:
      return Palette::kAiCpu;
    case IdleCause::kQueue:
      return Palette::kConvolution;
    case IdleCause::kGarbageCollection:
      return Palette::kAttention;
    case IdleCause::kDataLoader:
      return Palette::kCube;
    case IdleCause::kMark:
      return Palette::kMark;
    case IdleCause::kOperator:
      return Palette::kFramework;
    case IdleCause::kPython:
      return Palette::kPython;
    case IdleCause::kStepBoundary:
    case IdleCause::kNothingLaunched:
    case IdleCause::kNotRecorded:
    case IdleCause::kUnexplained:
      return Palette::kFree;
  }
  return Palette::kFree;
}

std::string_view palette_key(Palette palette) {
  static constexpr std::array<std::string_view, 14> kKeys = {
      "cube", "attention", "convolution", "vector", "aicpu", "communication", "wait",
      "copy", "framework", "cann",        "python", "mark",  "uncovered",     "free"};
  return kKeys[static_cast<std::size_t>(palette)];
}

std::vector<Palette> palette_of_names(const report::LaneTimeline& timeline,
                                      const trace::Trace& trace) {
  const auto kernels = palette_of_kernels(trace);
  std::vector<Palette> palette;
  palette.reserve(timeline.names().size());
  for (const report::SliceName& slice_name : timeline.names()) {
    const std::string_view name = timeline.text_of(slice_name);
    const report::NameOrigin& origin = timeline.origin_of(slice_name);
    if (origin.layer == kIdleLayerName) {
      palette.push_back(palette_of_cause_name(name));
    } else if (origin.layer == report::kOverlapLayer.name) {
      palette.push_back(palette_of_overlap(name));
    } else if (origin.layer == report::kCommunicationLayer.name) {
      palette.push_back(contains_word(name, "wait") ? Palette::kWait : Palette::kCommunication);
    } else if (origin.layer == report::kHardwareLayer.name) {
      const auto kernel = kernels.find(name);
      palette.push_back(kernel != kernels.end() ? kernel->second : palette_of_task(name));
    } else {
      palette.push_back(palette_of_host(origin, name));
    }
  }
  return palette;
}

}  // namespace npuprof::serve
