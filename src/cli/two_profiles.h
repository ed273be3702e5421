#pragma once

// Commands about two profiles: which ones, and loading them.

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "cli/loaded_profile.h"
#include "trace/losses.h"

namespace npuprof::cli {

struct TwoProfiles {
  std::string base;
  std::string other;  // Empty = the same as base: other steps of it.
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> base_rank;  // If it is another one.
  std::string steps;
  std::string base_steps;
};

// The paths and the options that choose ranks and steps.
void add_two_profiles(CLI::App& command, TwoProfiles& profiles);

struct LoadedPair {
  std::unique_ptr<LoadedProfile> base;
  std::unique_ptr<LoadedProfile> other;
};

// Fails if a side has several profiles and no rank is chosen, or both sides are the same.
Result<LoadedPair> load_pair(const TwoProfiles& profiles, trace::Losses& losses);

}  // namespace npuprof::cli
