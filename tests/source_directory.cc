#include "source_directory.h"

namespace npuprof::testing {

const char* source_directory() { return NPUPROF_TESTED_SOURCE; }

}  // namespace npuprof::testing
