#include "format/host/names.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "format/host/file_names.h"

namespace npuprof::format::host {
namespace {

constexpr std::string_view kSlice = "slice_";

// Takes the text after the last dot off `name`; false if there is no dot.
bool take_last_part(std::string_view& name, std::string_view& part) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  part = name.substr(dot + 1);
  name = name.substr(0, dot);
  return true;
}

std::optional<std::uint32_t> parse_slice(std::string_view part) {
  if (!part.starts_with(kSlice)) return std::nullopt;
  return parse_number<std::uint32_t>(part.substr(kSlice.size()));
}

std::optional<Age> parse_age(std::string_view text) {
  for (const Age age : {Age::kUnaging, Age::kAging}) {
    if (text == age_name(age)) return age;
  }
  return std::nullopt;
}

std::optional<Module> parse_module(std::string_view text) {
  for (const Module module :
       {Module::kApiEvent, Module::kCompact, Module::kAdditional, Module::kVariable}) {
    if (text == module_name(module)) return module;
  }
  return std::nullopt;
}

bool all_of(std::string_view text, std::size_t least, std::size_t most, bool (*accepts)(char)) {
  return text.size() >= least && text.size() <= most &&
         std::all_of(text.begin(), text.end(), accepts);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital_or_digit(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z'); }

std::string zero_padded(std::uint64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

}  // namespace

bool is_raw_file(std::string_view name) {
  constexpr std::array<std::string_view, 3> kSuffixes = {".done", ".complete", ".zip"};
  return std::none_of(kSuffixes.begin(), kSuffixes.end(),
                      [&](std::string_view suffix) { return name.ends_with(suffix); });
}

std::optional<HostFileName> parse_host_file_name(std::string_view name) {
  const auto plain = parse_plain_file_name(name);
  if (!plain) return std::nullopt;
  const std::size_t first = plain->base.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = plain->base.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto age = parse_age(plain->base.substr(0, first));
  const auto module = parse_module(plain->base.substr(first + 1, second - first - 1));
  const std::string_view tag = plain->base.substr(second + 1);
  if (!age || !module || tag.empty()) return std::nullopt;
  return HostFileName{*age, *module, tag, plain->slice};
}

std::string make_host_file_prefix(Age age, Module module, std::string_view tag) {
  std::string name(age_name(age));
  name.append(".").append(module_name(module)).append(".").append(tag).append(".").append(kSlice);
  return name;
}

std::string make_host_file_name(Age age, Module module, std::string_view tag, std::uint32_t slice) {
  return make_host_file_prefix(age, module, tag) + std::to_string(slice);
}

std::optional<PlainFileName> parse_plain_file_name(std::string_view name) {
  std::string_view part;
  if (!take_last_part(name, part)) return std::nullopt;
  const auto slice = parse_slice(part);
  if (!slice || name.empty()) return std::nullopt;
  return PlainFileName{name, *slice};
}

std::string make_plain_file_name(std::string_view base, std::uint32_t slice) {
  std::string name(base);
  name.append(".").append(kSlice).append(std::to_string(slice));
  return name;
}

std::optional<DeviceFileName> parse_device_file_name(std::string_view name) {
  std::string_view last;
  std::string_view device_part;
  if (!take_last_part(name, last) || !take_last_part(name, device_part)) return std::nullopt;
  auto device = parse_number<std::uint32_t>(device_part);
  if (!device && name.starts_with("Framework.") && take_last_part(name, device_part)) {
    device = parse_number<std::uint32_t>(device_part);
  }
  if (!device) return std::nullopt;

  std::string_view ignored;
  auto slice = parse_slice(last);
  if (!slice) {
    slice = parse_number<std::uint32_t>(last);
    if (!slice || !take_last_part(name, ignored)) return std::nullopt;
  } else if (constexpr std::string_view kOldTag = ".dev.profiler_default_tag";
             name.ends_with(kOldTag)) {
    name.remove_suffix(kOldTag.size());
    if (!take_last_part(name, ignored)) return std::nullopt;
  }
  if (name.empty()) return std::nullopt;
  return DeviceFileName{name, *device, *slice};
}

std::string current_base(std::string_view base) {
  if (base == "hwts.log.data") return "hwts.data";
  constexpr std::string_view kOldPreprocess = "DATA_PREPROCESS.dev.";
  if (!base.starts_with(kOldPreprocess)) return std::string(base);
  return "DATA_PREPROCESS." + std::string(base.substr(kOldPreprocess.size()));
}

std::string make_device_file_name(std::string_view base, std::uint32_t device,
                                  std::uint32_t slice) {
  std::string name(base);
  name.append(".").append(std::to_string(device));
  return make_plain_file_name(name, slice);
}

std::optional<ProfDirectoryName> parse_prof_directory_name(std::string_view name) {
  if (!name.starts_with(kProfPrefix)) return std::nullopt;
  name.remove_prefix(kProfPrefix.size());
  const std::size_t first = name.find('_');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = name.find('_', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view task = name.substr(0, first);
  const std::string_view time = name.substr(first + 1, second - first - 1);
  const std::string_view last = name.substr(second + 1);
  const auto number = parse_number<std::uint32_t>(task);
  if (!number || !all_of(task, 1, 10, is_digit) || !all_of(time, 1, 20, is_digit) ||
      !all_of(last, 5, 20, is_capital_or_digit)) {
    return std::nullopt;
  }
  ProfDirectoryName parsed{.task = *number, .time = std::string(time)};
  if (last.size() == 16 && all_of(last.substr(0, 8), 8, 8, is_digit)) {
    parsed.pid = *parse_number<std::uint32_t>(last.substr(0, 8));
    parsed.letters = last.substr(8);
  } else {
    parsed.letters = last;
  }
  return parsed;
}

std::string make_prof_directory_name(const ProfDirectoryName& name) {
  std::string text(kProfPrefix);
  text.append(zero_padded(name.task, 6)).append("_").append(name.time).append("_");
  return text.append(zero_padded(name.pid, 8)).append(name.letters);
}

}  // namespace npuprof::format::host
