#pragma once

#include <cstdint>
#include <filesystem>

#include "base/clock.h"
#include "base/result.h"
#include "device_launches.h"
#include "recorded_files.h"

namespace npuprof::mindspore_hooks {

// Each writes a file of FRAMEWORK/, at the end of what is there.

// Ranges and added launches, in ticks of `clock`.
Status write_ranges(const std::filesystem::path& directory, const std::vector<Range>& ranges,
                    const std::vector<AddedLaunch>& added, const TickClock& clock);
// The inputs of operators that MindSpore tells of.
Status write_shapes(const std::filesystem::path& directory, const std::vector<OperatorRun>& runs);
// What the memory pool did between two of its rows. It tells totals only: addresses are made up,
// and a release is that of the last block of its size.
Status write_memory(const std::filesystem::path& directory, const RecordedFiles& files,
                    std::int64_t rank, const RecordedTimes& times);

}  // namespace npuprof::mindspore_hooks
