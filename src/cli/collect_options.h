#pragma once

// What is to be recorded: the options that `npuprof record` and `npuprof dynamic` share, and the
// configuration they come to, which the Python package reads.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace npuprof::cli {

// As given; what was not given is empty.
struct CollectOptions {
  std::string output;
  std::vector<std::string> activities;
  std::string level;
  std::string metrics;
  std::vector<std::string> exports;
  std::vector<std::string> host_sys;
  std::vector<std::string> domains_included;
  std::vector<std::string> domains_excluded;
  std::vector<std::uint32_t> ranks;
  std::vector<std::string> metadata;  // key=value
  std::optional<double> gc_threshold_ms;
  std::optional<std::int64_t> start_step;
  std::optional<std::int64_t> active;
  std::optional<std::int64_t> warmup;
  std::map<std::string, std::string> switches;  // Key of the configuration; on or off.
};

void add_collect_options(CLI::App& command, CollectOptions& options);

using Configuration = nlohmann::ordered_json;

// Puts what was given into a configuration in the form of profiler_config.json. Throws a
// CLI::ParseError that names the argument if options contradict each other.
void apply(const CollectOptions& options, Configuration& configuration);

}  // namespace npuprof::cli
