#pragma once

#include "load/discover.h"

namespace npuprof::cli {

// Removes what other tools derived from the raw data of a framework's profile and left beside it,
// as torch_npu's data_simplification does: sqlite, summary and timeline of host and devices, and
// logs and results of msprof. Of a profile of CANN alone the results are kept.
void remove_derived_data(const load::Profile& profile);

// Removes the sqlite folders of host and devices.
void remove_intermediate_databases(const load::Profile& profile);

}  // namespace npuprof::cli
