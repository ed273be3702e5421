#include "cli/collect_options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "cli/commands.h"
#include "cli/validators.h"

namespace npuprof::cli {
namespace {

constexpr const char* kDetails = "experimental_config";
constexpr const char* kGroup = "What is recorded";

struct Switch {
  const char* option;
  const char* key;
  const char* text;
  bool is_detail = false;  // It stands in the experimental configuration.
};

constexpr std::array kSwitches = {
    Switch{"--record-shapes", "record_shapes", "Types and shapes of operators' inputs"},
    Switch{"--profile-memory", "profile_memory", "Memory that operators take and give back"},
    Switch{"--with-stack", "with_stack", "Calls of Python functions, and stacks of operators"},
    Switch{"--with-modules", "with_modules", "Calls of modules"},
    Switch{"--with-flops", "with_flops", "Floating point operations of operators"},
    Switch{"--mstx", "mstx", "Markers of the program", true},
    Switch{"--l2-cache", "l2_cache", "Hits and misses of the device's L2 cache", true},
    Switch{"--op-attr", "op_attr", "Attributes of operators (needs --export db)", true},
    Switch{"--record-op-args", "record_op_args", "Arguments of operators, for tuning", true},
    Switch{"--sys-io", "sys_io", "Use of network cards", true},
    Switch{"--sys-interconnection", "sys_interconnection", "Use of links between chips", true},
};

std::string check_switch(const std::string& text) {
  const bool is_known = is_on(text) || text == "off" || text == "false";
  return is_known ? "" : "'" + text + "' is neither on nor off";
}

void add_lists(CLI::App& command, CollectOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* text) {
    return command.add_option(name, value, text)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text("LIST")
        ->group(kGroup);
  };
  add("--activities", options.activities, "CPU (the program), NPU (the device); both by default")
      ->check(CLI::IsMember({"CPU", "NPU"}));
  add("--export", options.exports, "Results: text, db (default: text)")
      ->check(CLI::IsMember({"text", "db"}));
  add("--host-sys", options.host_sys, "Use of the host: cpu, mem, disk, network, osrt, numa")
      ->check(CLI::IsMember({"cpu", "mem", "disk", "network", "osrt", "numa"}));
  add("--mstx-domain-include", options.domains_included, "Only markers of these domains");
  add("--mstx-domain-exclude", options.domains_excluded, "No markers of these domains");
  add("--ranks", options.ranks, "Only these ranks of a job (default: all)");
}

void add_values(CLI::App& command, CollectOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* place, const char* text) {
    return command.add_option(name, value, text)->option_text(place)->group(kGroup);
  };
  add("--level", options.level, "LEVEL",
      "How much CANN tells: Level_none, Level0, Level1 or Level2\n(default: Level0)")
      ->check(CLI::IsMember({"Level_none", "Level0", "Level1", "Level2"}));
  add("--aic-metrics", options.metrics, "NAME",
      "Counters of AI cores, at Level1 and Level2: PipeUtilization,\n"
      "ArithmeticUtilization, Memory, MemoryL0, MemoryUB, L2Cache,\n"
      "ResourceConflictRatio, MemoryAccess, AiCoreNone (default)")
      ->check(CLI::IsMember({"PipeUtilization", "ArithmeticUtilization", "Memory", "MemoryL0",
                             "MemoryUB", "L2Cache", "ResourceConflictRatio", "MemoryAccess",
                             "AiCoreNone"}));
  add("--gc-threshold", options.gc_threshold_ms, "MS",
      "Garbage collections of Python that take at least this long")
      ->check(at_least(0));
  add("--metadata", options.metadata, "KEY=VALUE", "A text kept with the results; may be repeated")
      ->allow_extra_args(false);
}

// As Python has it; an object that another kind of value stands for is replaced.
Configuration& details_of(Configuration& configuration) {
  Configuration& details = configuration[kDetails];
  if (!details.is_object()) details = Configuration::object();
  return details;
}

void apply_switches(const CollectOptions& options, Configuration& configuration) {
  for (const Switch& each : kSwitches) {
    const auto given = options.switches.find(each.key);
    if (given == options.switches.end() || given->second.empty()) continue;
    Configuration& place = each.is_detail ? details_of(configuration) : configuration;
    place[each.key] = is_on(given->second);
  }
}

void apply_details(const CollectOptions& options, Configuration& configuration) {
  const auto put = [&](const char* key, const auto& value) {
    if (!value.empty()) details_of(configuration)[key] = value;
  };
  put("profiler_level", options.level);
  put("aic_metrics", options.metrics);
  put("export_type", options.exports);
  put("host_sys", options.host_sys);
  put("mstx_domain_include", options.domains_included);
  put("mstx_domain_exclude", options.domains_excluded);
  if (options.gc_threshold_ms) {
    details_of(configuration)["gc_detect_threshold"] = *options.gc_threshold_ms;
  }
}

void apply_metadata(const CollectOptions& options, Configuration& configuration) {
  for (const std::string& entry : options.metadata) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) {
      fail("--metadata", "'" + entry + "' is not of the form KEY=VALUE");
    }
    Configuration& metadata = configuration["metadata"];
    if (!metadata.is_object()) metadata = Configuration::object();
    metadata[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
}

template <typename Value>
Value value_of(const Configuration& object, const char* key, Value otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  try {
    return found->get<Value>();
  } catch (const Configuration::exception&) {
    return otherwise;
  }
}

// The profiler would drop what does not go together, with a line in some log.
void check_details(const CollectOptions& options, const Configuration& configuration) {
  const auto found = configuration.find(kDetails);
  const Configuration details =
      found != configuration.end() && found->is_object() ? *found : Configuration::object();
  const auto level = value_of<std::string>(details, "profiler_level", "Level0");
  const auto metrics = value_of<std::string>(details, "aic_metrics", "AiCoreNone");
  if (metrics != "AiCoreNone" && level != "Level1" && level != "Level2") {
    fail(options.metrics.empty() ? "--level" : "--aic-metrics",
         metrics + " needs --level Level1 or Level2");
  }
  const bool has_markers =
      value_of(details, "mstx", false) || value_of(details, "msprof_tx", false);
  const auto included = value_of<std::vector<std::string>>(details, "mstx_domain_include", {});
  const auto excluded = value_of<std::vector<std::string>>(details, "mstx_domain_exclude", {});
  if ((!included.empty() || !excluded.empty()) && !has_markers && level != "Level_none") {
    fail(included.empty() ? "--mstx-domain-exclude" : "--mstx-domain-include",
         "there are no markers without --mstx");
  }
  if (!included.empty() && !excluded.empty()) {
    fail("--mstx-domain-exclude", "cannot be combined with --mstx-domain-include");
  }
  const auto exports = value_of<std::vector<std::string>>(details, "export_type", {"text"});
  const bool has_database = std::find(exports.begin(), exports.end(), "db") != exports.end();
  if (value_of(details, "op_attr", false) && !has_database) {
    fail("--op-attr", "attributes are only in the database: add --export text,db");
  }
}

}  // namespace

void add_collect_options(CLI::App& command, CollectOptions& options) {
  command.add_option("-o,--output", options.output, "The folder for result directories")
      ->check(not_empty())
      ->option_text("DIR");
  command.add_option("--active", options.active, "Steps to record (default: 1)")
      ->check(at_least(1))
      ->option_text("N");
  command
      .add_option("--warmup", options.warmup,
                  "Steps in which the recorder only warms up, before those it\n"
                  "records (default: 0)")
      ->check(at_least(0))
      ->option_text("N");
  add_values(command, options);
  add_lists(command, options);
  for (const Switch& each : kSwitches) {
    command.add_flag(each.option, options.switches[each.key], each.text)
        ->check(CLI::Validator([](std::string& text) { return check_switch(text); }, ""))
        ->group(kGroup);
  }
}

void apply(const CollectOptions& options, Configuration& configuration) {
  if (!options.output.empty()) {
    configuration["prof_dir"] = std::filesystem::absolute(options.output).lexically_normal();
  }
  if (!options.activities.empty()) configuration["activities"] = options.activities;
  const auto put = [&](const char* key, const std::optional<std::int64_t>& number) {
    if (number) configuration[key] = *number;
  };
  put("active", options.active);
  put("warmup", options.warmup);
  put("start_step", options.start_step);
  if (!options.ranks.empty()) {
    configuration["is_rank"] = true;
    configuration["rank_list"] = options.ranks;
  }
  apply_metadata(options, configuration);
  apply_switches(options, configuration);
  apply_details(options, configuration);
  check_details(options, configuration);
}

}  // namespace npuprof::cli
