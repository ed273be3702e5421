#pragma once

// The arguments of `npuprof parse`: its own, and those of msprof and of torch_npu's analyse() that
// people have in their scripts.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/parse_profiles.h"
#include "cli/run_options.h"

namespace npuprof::cli {

// As given.
struct ParseOptions : RunOptions {
  std::string path;
  std::string exports;  // Kinds of results, joined by commas; or on, off as for msprof.
  std::string type;
  std::string output;
  std::string steps;
  std::optional<std::uint64_t> model_id;
  std::optional<std::uint64_t> iteration_id;
  std::string reports;
  std::string summary_format = "csv";
  std::string rule;
  std::string python_path;
  std::string cluster;
  int iteration_count = 1;
  std::string parse = "off";
  std::string analyze = "off";
  std::string query = "off";
  std::string application;
  std::string clear = "off";
  std::string simplify = "off";
  bool json = false;
};

// What they come to.
struct ParsePlan {
  std::string path;
  ParseSettings settings;
  bool query = false;      // Tell of runs, graphs and iterations; nothing is written.
  bool only_read = false;  // The same, and nothing is told but losses.
};

void add_parse_options(CLI::App& command, ParseOptions& options);

// Throws a CLI::ParseError that names the argument if they contradict each other or are not
// offered.
ParsePlan plan_parse(const ParseOptions& options);

}  // namespace npuprof::cli
