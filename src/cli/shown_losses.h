#pragma once

#include "trace/losses.h"

namespace npuprof::cli {

// Tells the user what could not be used, and what is not read.
void warn_of(const trace::Losses& losses);

}  // namespace npuprof::cli
