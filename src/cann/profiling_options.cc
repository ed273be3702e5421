#include "cann/profiling_options.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/printable.h"
#include "base/text.h"
#include "cann/aicore_metrics.h"

namespace npuprof::cann {
namespace {

using Json = nlohmann::json;
using Options = ProfilingOptions;

struct SwitchKey {
  std::string_view name;
  bool Options::*member;
  bool needs_driver = false;
};
constexpr SwitchKey kSwitchKeys[] = {
    {"runtime_api", &Options::runtime_api},   {"hccl", &Options::hccl},
    {"aicpu", &Options::aicpu, true},         {"l2", &Options::l2, true},
    {"msproftx", &Options::msproftx},         {"task_memory", &Options::task_memory, true},
    {"task_tsfw", &Options::task_tsfw, true}, {"instr_profiling", &Options::instr_profiling, true},
};

// All of these need a driver, but for those of the host.
struct FrequencyKey {
  std::string_view name;
  std::uint32_t Options::*member;
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t high_on_newest;
};
constexpr FrequencyKey kFrequencyKeys[] = {
    {"instr_profiling_freq", &Options::instr_profiling_freq, 300, 30000, 30000},
    {"sys_hardware_mem_freq", &Options::sys_hardware_mem_freq, 1, 100, 10000},
    {"sys_io_sampling_freq", &Options::sys_io_sampling_freq, 1, 100, 100},
    {"sys_interconnection_freq", &Options::sys_interconnection_freq, 1, 50, 50},
    {"dvpp_freq", &Options::dvpp_freq, 1, 100, 100},
    {"sys_cpu_freq", &Options::sys_cpu_freq, 1, 50, 50},
    {"sys_lp_freq", &Options::sys_lp_freq, 1, 100, 100},
    {"host_sys_usage_freq", &Options::host_sys_usage_freq, 1, 50, 50},
};

// One of a few words; an empty text means the default.
struct ChoiceKey {
  std::string_view name;
  std::string Options::*member;
  std::string_view choices;  // Joined by commas.
};
constexpr ChoiceKey kChoiceKeys[] = {
    {"ge_api", &Options::ge_api, "l0,l1,off"},
    {"task_block", &Options::task_block, "all,on,off"},
    {"llc_profiling", &Options::llc_profiling, "read,write"},
};

struct ListKey {
  std::string_view name;
  std::vector<std::string> Options::*member;
  std::string_view choices;
};
constexpr ListKey kListKeys[] = {
    {"host_sys", &Options::host_sys, "cpu,mem,disk,network,osrt,numa"},
    {"host_sys_usage", &Options::host_sys_usage, "cpu,mem"},
};

// Keys with checks of their own.
constexpr std::string_view kOtherKeys[] = {
    "output",   "storage_limit", "training_trace", "task_time", "task_trace",
    "fp_point", "bp_point",      "aic_metrics",    "optype",    "sys_mem_serviceflow",
};

constexpr std::uint32_t kSmallestStorageMb = 200;
constexpr std::size_t kMostOpTypeBytes = 256;
constexpr std::size_t kMostCustomEvents = 8;
constexpr std::uint32_t kLastCustomEvent = 0x6E;

Error refuse(std::string_view code, std::string sentence) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("{}: profiling_options: {}", code, printable(sentence))};
}
Error refuse_value(std::string_view key, const Json& value, std::string_view expected) {
  return refuse("EK0001",
                fmt::format("{} is {}, but {}", key, value.dump(-1, ' ', true), expected));
}

template <typename Keys>
auto* find_key(const Keys& keys, std::string_view name) {
  const auto* const found = std::find_if(std::begin(keys), std::end(keys),
                                         [&](const auto& key) { return key.name == name; });
  return found == std::end(keys) ? nullptr : found;
}

bool is_frequency(std::string_view key) { return key.ends_with("_freq"); }

bool is_known(std::string_view key) {
  return find_key(kSwitchKeys, key) != nullptr || find_key(kFrequencyKeys, key) != nullptr ||
         find_key(kChoiceKeys, key) != nullptr || find_key(kListKeys, key) != nullptr ||
         std::find(std::begin(kOtherKeys), std::end(kOtherKeys), key) != std::end(kOtherKeys);
}

// Keys whose value the collector wants as a text, whatever it is used for.
bool is_text_key(std::string_view key) {
  return !is_frequency(key) && key != "output" && key != "storage_limit" && key != "fp_point" &&
         key != "bp_point";
}

bool is_one_of(std::string_view value, std::string_view choices) {
  const auto words = split(choices, ',');
  return std::find(words.begin(), words.end(), value) != words.end();
}

// "read or write", "l0, l1 or off".
std::string spoken(std::string_view choices) {
  const auto words = split(choices, ',');
  std::string text(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) {
    text += (i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
  }
  return text;
}

// The value of a text key, null if it is not there.
const std::string* text_value(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_string() ? nullptr
                                                    : found->get_ptr<const std::string*>();
}

// --- what GE looks at before the collector sees the text

Result<Json> read_object(std::string_view text) {
  if (text.empty()) {
    return refuse("E10001", R"(the text is empty; give a JSON object such as {"output":"./"})");
  }
  if (text.size() > kMostProfilingOptionsBytes) {
    return refuse("E10001", fmt::format("the text has {} bytes and is cut after {}: shorten it",
                                        text.size(), kMostProfilingOptionsBytes));
  }
  // As many levels as brackets: the parser keeps its own stack.
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return refuse("E10001",
                  "the text is no JSON: look for missing quotes and commas around its keys");
  }
  if (!json.is_object()) {
    return refuse("E10001", R"(a JSON object is needed, such as {"output":"./"})");
  }
  return json;
}

Status check_training_trace(const Json& json, Options& options) {
  const auto found = json.find("training_trace");
  if (found == json.end()) return ok_status();
  const std::string* const value = text_value(json, "training_trace");
  if (value == nullptr || (!value->empty() && *value != "on")) {
    return refuse("E10001", "training_trace can only be \"on\"; leave the key out to have it off");
  }
  options.training_trace = *value == "on";
  return ok_status();
}

Status check_points(const Json& json, Options& options) {
  constexpr std::pair<const char*, std::string Options::*> kPoints[] = {
      {"fp_point", &Options::fp_point}, {"bp_point", &Options::bp_point}};
  for (const auto& [key, member] : kPoints) {
    if (!json.contains(key)) continue;
    const std::string* const value = text_value(json, key);
    if (!options.training_trace) {
      if (value == nullptr || !value->empty()) {
        options.notes.push_back(fmt::format("{} has no effect without training_trace", key));
      }
      continue;
    }
    if (value == nullptr) {
      return refuse("E10001",
                    fmt::format("{} must be the name of an operator in quotes, or \"\"", key));
    }
    options.*member = *value;
  }
  return ok_status();
}

// --- what the collector checks, a kind of check after the other

Status check_keys_and_types(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    if (is_known(key)) continue;
    return refuse("EK0001",
                  fmt::format("{} is not supported{}", key,
                              key == "aiv_metrics" ? "; aic_metrics counts both kinds of cores"
                                                   : ": look for a typing error, or remove it"));
  }
  for (const auto& [key, value] : json.items()) {
    if (is_frequency(key) && !value.is_number_integer()) {
      return refuse_value(key, value, "a whole number without quotes is needed");
    }
  }
  for (const auto& [key, value] : json.items()) {
    if (is_text_key(key) && !value.is_string()) {
      return refuse_value(key, value, "a text in quotes is needed");
    }
  }
  return ok_status();
}

Status read_switches(const Json& json, Options& options) {
  for (const SwitchKey& key : kSwitchKeys) {
    const std::string* const value = text_value(json, key.name.data());
    if (value == nullptr) continue;
    if (!value->empty() && *value != "on" && *value != "off") {
      return refuse_value(key.name, *value, "only on and off are possible");
    }
    options.*key.member = *value == "on";
  }
  for (const ChoiceKey& key : kChoiceKeys) {
    const std::string* const value = text_value(json, key.name.data());
    if (value == nullptr || value->empty()) continue;
    if (!is_one_of(*value, key.choices)) {
      return refuse_value(key.name, *value, fmt::format("it can be {}", spoken(key.choices)));
    }
    options.*key.member = *value;
  }
  return ok_status();
}

Status read_lists(const Json& json, Options& options) {
  for (const ListKey& key : kListKeys) {
    const std::string* const value = text_value(json, key.name.data());
    if (value == nullptr || value->empty()) continue;
    for (const std::string_view item : split(*value, ',')) {
      if (!is_one_of(item, key.choices)) {
        return refuse_value(
            key.name, *value,
            fmt::format("it is a list, joined by commas, of {}", spoken(key.choices)));
      }
      (options.*key.member).emplace_back(item);
    }
  }
  return ok_status();
}

Status read_frequencies(const Json& json, const OptionsTarget& target, Options& options) {
  for (const FrequencyKey& key : kFrequencyKeys) {
    const auto found = json.find(key.name);
    if (found == json.end()) continue;
    const std::uint32_t high = target.is_newest ? key.high_on_newest : key.high;
    const bool is_small = found->is_number_unsigned() && found->get<std::uint64_t>() <= high;
    if (!is_small || found->get<std::uint64_t>() < key.low) {
      return refuse_value(key.name, *found, fmt::format("{} to {} is possible", key.low, high));
    }
    options.*key.member = found->get<std::uint32_t>();
  }
  return ok_status();
}

std::optional<TaskTime> task_time_of(std::string_view value) {
  if (value == "on" || value == "l1") return TaskTime::kLevel1;
  if (value == "off" || value.empty()) return TaskTime::kOff;
  if (value == "l0") return TaskTime::kLevel0;
  if (value == "l2") return TaskTime::kLevel2;
  if (value == "l3") return TaskTime::kLevel3;
  return std::nullopt;
}

Status read_task_time(const Json& json, const OptionsTarget& target, Options& options) {
  for (const char* const key : {"task_trace", "task_time"}) {
    const std::string* const value = text_value(json, key);
    if (value == nullptr) continue;
    const auto level = task_time_of(*value);
    if (!level) return refuse_value(key, *value, "it can be on, off, l0, l1, l2 or l3");
    if (*level == TaskTime::kLevel3 && !target.is_newest) {
      return refuse("EK0005", fmt::format("{} l3 is not supported by this chip; take l2", key));
    }
    if (std::string_view(key) == "task_time") {
      options.task_time = *level;
    } else if (*level != options.task_time || json.contains("task_time")) {
      options.notes.emplace_back(
          "task_trace has no effect: task_time decides, which is on unless it is given");
    }
  }
  return ok_status();
}

Status read_op_type(const Json& json, Options& options) {
  const std::string* const types = text_value(json, "optype");
  if (types != nullptr && types->size() > kMostOpTypeBytes) {
    return refuse("EK0001", fmt::format("optype has {} bytes, at most {} are possible",
                                        types->size(), kMostOpTypeBytes));
  }
  if (types != nullptr) options.optype = *types;
  const std::string* const flow = text_value(json, "sys_mem_serviceflow");
  if (flow != nullptr) options.sys_mem_serviceflow = *flow;
  return ok_status();
}

Status read_output(const Json& json, const OptionsTarget& target, Options& options) {
  const std::string* const value = text_value(json, "output");
  if (value != nullptr && !value->empty()) {
    options.output = *value;
  } else if (!target.work_path.empty()) {
    options.output = (std::filesystem::path(target.work_path) / "profiling_data").native();
  } else {
    return refuse("EK0003", "output is missing: name a directory, or set ASCEND_WORK_PATH");
  }
  const bool has_control = std::any_of(options.output.begin(), options.output.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (has_control) return refuse("EK0003", "output has control characters: name another directory");
  return ok_status();
}

void read_storage_limit(const Json& json, Options& options) {
  const auto found = json.find("storage_limit");
  if (found == json.end()) return;
  const std::string* const value = text_value(json, "storage_limit");
  if (value != nullptr && value->empty()) return;
  const bool has_unit = value != nullptr && value->ends_with("MB");
  const auto size =
      has_unit ? parse_number<std::uint32_t>(std::string_view(*value).substr(0, value->size() - 2))
               : std::nullopt;
  if (!size) {
    options.notes.push_back(
        fmt::format("storage_limit is {}, not of the form 200MB to 4294967295MB: there is no limit",
                    printable(found->dump(-1, ' ', true))));
    return;
  }
  if (*size < kSmallestStorageMb) {
    options.notes.push_back(fmt::format("storage_limit is {}, which is too small: {}MB is taken",
                                        *value, kSmallestStorageMb));
  }
  options.storage_limit_mb = std::max(*size, kSmallestStorageMb);
}

std::optional<std::uint32_t> custom_event(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const auto number = is_hex ? parse_hex<std::uint32_t>(text) : parse_number<std::uint32_t>(text);
  return number && *number >= 1 && *number <= kLastCustomEvent ? number : std::nullopt;
}

Status read_metrics(const Json& json, Options& options) {
  constexpr std::string_view kCustom = "Custom:";
  const std::string* const value = text_value(json, "aic_metrics");
  if (value == nullptr) return ok_status();
  options.aic_metrics = value->empty() ? "PipeUtilization" : *value;
  if (!value->starts_with(kCustom)) {
    if (metrics_number(options.aic_metrics)) return ok_status();
    return refuse_value("aic_metrics", *value,
                        fmt::format("it can be {} or Custom: with numbers of registers",
                                    fmt::join(metrics_names(), ", ")));
  }
  const auto items = split(std::string_view(*value).substr(kCustom.size()), ',');
  for (const std::string_view item : items) {
    const auto event = custom_event(item);
    if (!event || items.size() > kMostCustomEvents) {
      return refuse_value("aic_metrics", *value,
                          "Custom: takes one to eight registers, 0x1 to 0x6E, joined by commas");
    }
    options.custom_events.push_back(*event);
  }
  return ok_status();
}

Status check_driver(const Json& json, const OptionsTarget& target, const Options& options) {
  if (target.has_driver) return ok_status();
  const auto no_driver = [](std::string_view key) {
    return refuse("EK0005", fmt::format("{} needs the driver of an NPU, which this host does not "
                                        "have: remove it",
                                        key));
  };
  if (!options.aic_metrics.empty()) return no_driver("aic_metrics");
  for (const SwitchKey& key : kSwitchKeys) {
    if (key.needs_driver && options.*key.member) return no_driver(key.name);
  }
  for (const FrequencyKey& key : kFrequencyKeys) {
    const bool is_of_host = key.name.starts_with("host_");
    if (!is_of_host && json.contains(key.name)) return no_driver(key.name);
  }
  return ok_status();
}

void add_notes(const Json& json, Options& options) {
  const auto note = [&](bool applies, const char* sentence) {
    if (applies) options.notes.emplace_back(sentence);
  };
  note(json.contains("llc_profiling") && options.sys_hardware_mem_freq == 0,
       "llc_profiling has no effect without sys_hardware_mem_freq");
  note(json.contains("instr_profiling_freq") && !options.instr_profiling,
       "instr_profiling_freq has no effect without instr_profiling");
  note(json.contains("host_sys_usage_freq") && options.host_sys_usage.empty(),
       "host_sys_usage_freq has no effect without host_sys_usage");
  note(options.hccl && options.task_time >= TaskTime::kLevel1,
       "hccl will go away: task_time l1 shows communication too");
  note(options.training_trace && options.task_time == TaskTime::kOff,
       "training_trace without task_time gives iterations and no tasks");
  note(options.instr_profiling &&
           (options.training_trace || options.hccl || options.aicpu || options.l2 ||
            options.runtime_api || !options.aic_metrics.empty()),
       "instr_profiling is meant to be used alone: other data may be missing or wrong");
  note(!options.aic_metrics.empty() && options.task_time < TaskTime::kLevel1,
       "aic_metrics has no effect unless task_time is l1 or more");
}

}  // namespace

Result<ProfilingOptions> parse_profiling_options(std::string_view text,
                                                 const OptionsTarget& target) {
  Options options;
  NPUPROF_ASSIGN_OR_RETURN(const Json json, read_object(text));
  NPUPROF_RETURN_IF_ERROR(check_training_trace(json, options));
  NPUPROF_RETURN_IF_ERROR(check_points(json, options));
  NPUPROF_RETURN_IF_ERROR(check_keys_and_types(json));
  NPUPROF_RETURN_IF_ERROR(read_switches(json, options));
  NPUPROF_RETURN_IF_ERROR(read_lists(json, options));
  NPUPROF_RETURN_IF_ERROR(read_frequencies(json, target, options));
  NPUPROF_RETURN_IF_ERROR(read_task_time(json, target, options));
  NPUPROF_RETURN_IF_ERROR(read_op_type(json, options));
  NPUPROF_RETURN_IF_ERROR(read_output(json, target, options));
  read_storage_limit(json, options);
  NPUPROF_RETURN_IF_ERROR(read_metrics(json, options));
  NPUPROF_RETURN_IF_ERROR(check_driver(json, target, options));
  add_notes(json, options);
  return options;
}

Status prepare_output(const std::string& output) {
  const Status made = make_directories(output);
  if (made.ok() && ::access(output.c_str(), W_OK | X_OK) == 0) return ok_status();
  return refuse("EK0003", fmt::format("nothing can be written to output '{}'{}: name another "
                                      "directory",
                                      output, made.ok() ? "" : " (" + made.error().message + ")"));
}

}  // namespace npuprof::cann
