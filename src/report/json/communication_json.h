#pragma once

// communication.json and communication_matrix.json: times, traffic and links of collectives.

#include <filesystem>
#include <span>

#include "analyze/communication.h"
#include "analyze/shared_results.h"
#include "base/result.h"

namespace npuprof::report {

// As frameworks write them: by step, then point-to-point and collective operators apart, with a
// total for each class; the matrix is condensed to typical operators. Without operators there are
// no files.
Status write_framework_communication(const analyze::SharedResults& results,
                                     const std::filesystem::path& directory);

// As CANN writes them: all operators, then their total.
Status write_cann_communication(std::span<const analyze::CommunicationOp> ops,
                                const std::filesystem::path& directory);

}  // namespace npuprof::report
