#include "places.h"

namespace npuprof::testing {

const char* source_directory() { return NPUPROF_TESTED_SOURCE; }
const char* npuprof_program() { return NPUPROF_TESTED_PROGRAM; }
const char* simulated_library() { return NPUPROF_TESTED_LIBRARY; }
const char* simulated_libraries() { return NPUPROF_TESTED_LIBRARIES; }

}  // namespace npuprof::testing
