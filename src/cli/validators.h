#pragma once

// What values of options have to be.

#include <cstdint>

#include <CLI/CLI.hpp>

namespace npuprof::cli {

// A number that is not less.
CLI::Validator at_least(std::int64_t least);

// How many threads work; 0 is one for each core.
CLI::Validator thread_count();

// The name of a file or folder: an empty one comes from a variable that is not set.
CLI::Validator not_empty();

}  // namespace npuprof::cli
