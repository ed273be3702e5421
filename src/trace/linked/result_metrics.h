#pragma once

#include <vector>

#include "base/string_pool.h"

namespace npuprof::trace {

// Metrics of kernels as result files give them, for profiles whose counters (PmuRecords) are gone.
struct ResultMetrics {
  struct Column {
    StringId name{};             // As in databases, without unit: `aic_mac_time`.
    std::vector<double> values;  // By row of Kernels, in the unit of text files (times in us); NaN
                                 // = not available.
  };
  std::vector<Column> columns;
};

}  // namespace npuprof::trace
