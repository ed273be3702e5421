#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recorded_files.h"

namespace npuprof::mindspore_hooks {

// A launch by a thread of the program, for an operator that MindSpore ran on the host without a
// range of its own around it.
struct AddedLaunch {
  std::string_view name;
  std::uint64_t thread_id = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct DeviceLaunches {
  std::vector<AddedLaunch> added;
  std::uint64_t kernels = 0;
};

// Launches on the simulated NPU what each operator that ran would launch on an NPU, at the time and
// by the thread that ran it. Ranges that launch are lengthened if the launch takes longer. Nothing
// happens unless the simulated library is in use.
DeviceLaunches launch_on_simulated_npu(RecordedFiles& files);

}  // namespace npuprof::mindspore_hooks
