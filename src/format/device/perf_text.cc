#include "format/device/perf_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "format/text_scan.h"

namespace npuprof::format::device {
namespace {

constexpr int kNanosecondDigits = 9;
constexpr std::uint32_t kLastEvent = 0xFFFF;  // Events have 16 bits.

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "pid/tid", or one of them.
bool is_process(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return is_number(word);
  return is_number(word.substr(0, slash)) && is_number(word.substr(slash + 1));
}

// The last word of `text`.
std::string_view last_word(std::string_view text) {
  text = trim(text);
  return text.substr(text.find_last_of(" \t") + 1);
}

// Takes "command pid/tid [cpu]" off a line. A command may have brackets of its own.
std::optional<std::uint32_t> take_cpu(std::string_view& line) {
  for (std::size_t open = line.find('['); open != std::string_view::npos;
       open = line.find('[', open + 1)) {
    const std::size_t close = line.find(']', open);
    if (close == std::string_view::npos) return std::nullopt;
    const auto cpu = parse_number<std::uint32_t>(line.substr(open + 1, close - open - 1));
    if (!cpu || !is_process(last_word(line.substr(0, open)))) continue;
    line.remove_prefix(close + 1);
    return cpu;
  }
  return std::nullopt;
}

// "r11", "0x11" or "raw 0x11", and modifiers such as "r11:u".
std::optional<std::uint32_t> take_event(std::string_view& line) {
  std::string_view word = take_word(line);
  if (word == "raw") word = take_word(line);
  if (!word.ends_with(':')) return std::nullopt;
  word = word.substr(0, word.find(':'));
  if (word.starts_with('r')) word.remove_prefix(1);
  const auto event = parse_hex<std::uint32_t>(word);
  return event && *event <= kLastEvent ? event : std::nullopt;
}

std::optional<PerfSample> parse_heading(std::string_view line) {
  PerfSample sample;
  const auto cpu = take_cpu(line);
  if (!cpu) return std::nullopt;
  sample.cpu = *cpu;
  std::string_view time = take_word(line);
  if (!time.ends_with(':')) return std::nullopt;
  time.remove_suffix(1);
  const auto time_ns = parse_scaled(time, kNanosecondDigits);
  if (!time_ns || !take_number(line, sample.count)) return std::nullopt;
  sample.time_ns = *time_ns;
  const auto event = take_event(line);
  if (!event) return std::nullopt;
  sample.event = *event;
  return sample;
}

// Where in "function+0x1c (module)" the function ends and the module begins. Both may contain
// blanks and parentheses ("(deleted)" is part of a module), but the offset stands between them.
struct FrameParts {
  std::string_view function;
  std::string_view module;
};
FrameParts split_frame(std::string_view frame) {
  constexpr std::string_view kOffset = "+0x";
  constexpr std::string_view kModule = " (";
  if (const std::size_t offset = frame.rfind(kOffset); offset != std::string_view::npos) {
    const std::size_t after = frame.find_first_not_of("0123456789abcdef", offset + kOffset.size());
    if (after != std::string_view::npos && frame.substr(after).starts_with(kModule)) {
      return {frame.substr(0, offset), frame.substr(after + kModule.size())};
    }
  }
  std::size_t module = frame.rfind(kModule);
  if (frame.ends_with("(deleted))") && module != std::string_view::npos && module > 0) {
    module = frame.rfind(kModule, module - 1);
  }
  if (module == std::string_view::npos) return {frame, {}};
  return {frame.substr(0, module), frame.substr(module + kModule.size())};
}

// Puts function and module of a frame's line into `sample`.
bool parse_frame(std::string_view line, PerfSample& sample) {
  constexpr std::string_view kUnknown = "unknown";
  line = trim(line);
  if (!parse_hex<std::uint64_t>(take_word(line))) return false;
  auto [function, module] = split_frame(trim(line));
  if (module.ends_with(')')) module.remove_suffix(1);
  if (function.empty() && module.empty()) return false;
  sample.function = function.empty() || function == "[unknown]" ? kUnknown : function;
  sample.module = module.empty() ? kUnknown : module;
  return true;
}

constexpr std::array<std::string_view, 6> kCacheEventNames = {"read_allocate",    "read_noallocate",
                                                              "read_hit",         "write_allocate",
                                                              "write_noallocate", "write_hit"};
constexpr std::string_view kCacheCpuPrefix = "dsid";
constexpr std::string_view kCacheUnit = "hisi_l3c0_1";

std::optional<std::uint32_t> find_cache_event(std::string_view name) {
  const auto found = std::find(kCacheEventNames.begin(), kCacheEventNames.end(), name);
  if (found != kCacheEventNames.end()) {
    return static_cast<std::uint32_t>(found - kCacheEventNames.begin());
  }
  if (!name.starts_with(kCacheCpuPrefix)) return std::nullopt;
  const auto cpu = parse_number<std::uint32_t>(name.substr(kCacheCpuPrefix.size()));
  if (!cpu || *cpu >= kCacheCpus310) return std::nullopt;
  return static_cast<std::uint32_t>(CacheEvent310::kLinesOfCpu0) + *cpu;
}

}  // namespace

PerfCounts read_perf_samples(std::string_view text,
                             const std::function<void(const PerfSample&)>& sample) {
  PerfCounts counts;
  std::optional<PerfSample> open;  // Its function is still to come.
  bool is_passing = false;         // Over callers, or over what is damaged.
  std::string_view line;
  const auto give_up = [&] {
    if (open) ++counts.damaged;
    open.reset();
  };
  while (take_line(text, line)) {
    if (trim(line).empty()) {
      give_up();
      is_passing = false;
    } else if (auto heading = parse_heading(line)) {
      give_up();
      open = heading;
      is_passing = false;
    } else if (open && parse_frame(line, *open)) {
      sample(*open);
      ++counts.samples;
      open.reset();
      is_passing = true;
    } else if (!open && !is_passing && !line.starts_with(kPerfCommentMark)) {
      ++counts.damaged;
      is_passing = true;
    }
  }
  give_up();
  return counts;
}

void append_perf_sample(std::string& text, const PerfSample& sample, std::string_view command,
                        std::uint32_t pid) {
  fmt::format_to(std::back_inserter(text), "{:<16} {}/{} [{:03}] {}.{:06}: {:>10} r{:x}:\n",
                 command, pid, pid, sample.cpu, sample.time_ns / 1'000'000'000,
                 sample.time_ns % 1'000'000'000 / 1000, sample.count, sample.event);
  fmt::format_to(std::back_inserter(text), "\t{:16x} {}+0x0 ({})\n\n", 0, sample.function,
                 sample.module);
}

std::optional<CacheCount310> parse_cache_count_310(std::string_view line) {
  CacheCount310 result;
  const auto time_ns = parse_scaled(take_word(line), kNanosecondDigits);
  if (!time_ns || *time_ns < 0) return std::nullopt;
  result.time_ns = *time_ns;
  const std::string_view count = take_word(line);
  if (count == "<not") {
    take_word(line);  // "counted>" or "supported>"
  } else if (const auto number = parse_number<std::uint64_t>(count)) {
    result.count = *number;
  } else {
    return std::nullopt;
  }
  const auto parts = split(take_word(line), '/');  // unit, event, nothing
  if (parts.size() != 3) return std::nullopt;
  const auto event = find_cache_event(parts[1]);
  if (!event) return std::nullopt;
  result.event = *event;
  return result;
}

void append_cache_count_310(std::string& text, const CacheCount310& count) {
  constexpr auto kFirstCpu = static_cast<std::uint32_t>(CacheEvent310::kLinesOfCpu0);
  const std::string event = count.event < kFirstCpu
                                ? std::string(kCacheEventNames[count.event])
                                : fmt::format("{}{}", kCacheCpuPrefix, count.event - kFirstCpu);
  fmt::format_to(std::back_inserter(text), "{:>6}.{:09} {:>18}      {}/{}/\n",
                 count.time_ns / 1'000'000'000, count.time_ns % 1'000'000'000, count.count,
                 kCacheUnit, event);
}

}  // namespace npuprof::format::device
