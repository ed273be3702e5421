#pragma once

// What values of options have to be.

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "analyze/keep_steps.h"

namespace npuprof::cli {

// A number that is not less.
CLI::Validator at_least(std::int64_t least);

// How many threads work; 0 is one for each core.
CLI::Validator thread_count();

// The name of a file or folder: an empty one comes from a variable that is not set.
CLI::Validator not_empty();

// "7", "3-5" or "1-3,8"; an empty text chooses nothing. Refuses the command line if it is no such
// list.
std::vector<analyze::StepRange> chosen_steps(const std::string& option, const std::string& text);

}  // namespace npuprof::cli
