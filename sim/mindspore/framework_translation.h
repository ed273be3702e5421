#pragma once

// The files that MindSpore's recorder would leave for a program, from those that PyTorch's left.
// Both frameworks run the same simulated programs, so what happened is the same; what is told of it
// differs.

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "sim/model/sim_clock.h"

namespace npuprof::sim {

struct MindSporeOptions {
  std::uint32_t rank = 0;
  std::uint64_t process_id = 0;
  bool record_shapes = false;
  bool data_process = false;  // Records and files of a data pipeline.
};

// How many records were written, by kind.
struct MindSporeCounts {
  std::uint64_t ranges = 0;  // All of mindspore.op_range.
  std::uint64_t steps = 0;
  std::uint64_t launches = 0;
  std::uint64_t flows = 0;
  std::uint64_t frames = 0;
  std::uint64_t datasets = 0;
  std::uint64_t memory = 0;
  std::uint64_t shapes = 0;
};

// Writes `mindspore.*` into the FRAMEWORK folder of `directory` and removes `torch.*` there.
//
// | of PyTorch                     | of MindSpore                                               |
// |--------------------------------|------------------------------------------------------------|
// | operator                       | PynativeFramework::RunOp                                   |
// | node of a backward pass        | PynativeFramework::PyNativeBpropTask                       |
// | step or range of the user      | Python::PythonObserved                                     |
// | task taken off the queue       | PynativeFramework::PyNativeLaunchTask, with a flow to where |
// |                                | it was put on; without a queue the operator itself launches |
// | call of Python                 | frame, written at the return                               |
// | memory of the device           | mindspore.memory_usage, owned by the operator at that time |
Result<MindSporeCounts> translate_framework(const std::filesystem::path& directory,
                                            const MindSporeOptions& options, const SimClock& clock);

}  // namespace npuprof::sim
