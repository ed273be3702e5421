#pragma once

// The work of `npuprof parse`: raw profiles to result files.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "analyze/keep_steps.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "load/discover.h"
#include "report/result_files.h"
#include "trace/losses.h"

namespace npuprof::cli {

struct ParseSettings {
  report::ExportOptions exports;  // `output` is set for each profile.
  std::filesystem::path output;   // Results go below this folder; empty = beside the raw data.
  std::vector<analyze::StepRange> steps;               // Empty = all.
  std::optional<analyze::GraphIterations> iterations;  // Nothing = all.
  bool simplify = false;                               // See remove_derived_data().
  bool clear = false;                                  // See remove_intermediate_databases().
};

// What one profile came to.
struct ParseOutcome {
  std::filesystem::path path;
  std::filesystem::path output;
  std::int32_t rank = -1;
  std::size_t steps = 0;
  std::size_t kernels = 0;
  std::size_t tasks = 0;
  std::size_t collectives = 0;
  std::size_t operators = 0;
  std::int64_t computing_ns = 0;
  std::int64_t not_overlapped_ns = 0;
  std::int64_t free_ns = 0;
  bool simulated = false;
  trace::Losses losses;
  Status status = ok_status();
};

// Parses every profile and shows the progress. One outcome for each, in the order given.
std::vector<ParseOutcome> parse_profiles(const std::vector<load::Profile>& profiles,
                                         const ParseSettings& settings, ThreadPool& pool);

}  // namespace npuprof::cli
