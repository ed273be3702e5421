#include "format/host/host_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "format/text_scan.h"

namespace npuprof::format::host {
namespace {

constexpr std::string_view kTime = "time ";

// The number of a "time <ns>" line.
std::optional<std::uint64_t> parse_time_line(std::string_view line) {
  if (!line.starts_with(kTime)) return std::nullopt;
  return parse_number<std::uint64_t>(trim(line.substr(kTime.size())));
}

void append_line(std::string& out, std::string_view line) {
  out += trim(line);
  out += '\n';
}

void append_time(std::string& out, std::uint64_t time_ns) {
  out += kTime;
  append_integer(out, time_ns);
  out += '\n';
}

}  // namespace

// ---- CPU

std::optional<ThreadStat> parse_thread_stat(std::string_view line) {
  const std::size_t open = line.find(" (");
  const std::size_t close = line.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const auto thread_id = parse_number<std::uint32_t>(trim(line.substr(0, open)));
  if (!thread_id) return std::nullopt;
  ThreadStat stat{.thread_id = *thread_id};
  std::string_view rest = line.substr(close + 2);
  skip_words(rest, 1);  // State; fields are numbered from the id, which is field 0.
  if (!take_number(rest, stat.parent_id)) return std::nullopt;
  skip_words(rest, 9);  // Fields 4..12.
  if (!take_number(rest, stat.user_jiffies) || !take_number(rest, stat.system_jiffies)) {
    return std::nullopt;
  }
  skip_words(rest, 23);  // Fields 15..37.
  if (!take_number(rest, stat.cpu)) return std::nullopt;
  return stat;
}

TextCounts read_host_cpu(std::string_view text,
                         const std::function<void(const HostCpuSample&)>& sample) {
  TextCounts counts;
  HostCpuSample current;
  enum class Expect { kTime, kUptime, kThreads } expect = Expect::kTime;
  const auto finish = [&] {
    if (expect != Expect::kThreads) return;
    sample(current);
    ++counts.samples;
  };
  std::string_view line;
  while (take_line(text, line)) {
    if (trim(line).empty()) continue;
    if (const auto time_ns = parse_time_line(line)) {
      finish();
      current.time_ns = *time_ns;
      current.threads.clear();
      expect = Expect::kUptime;
    } else if (expect == Expect::kUptime) {
      const auto uptime = parse_number<double>(take_word(line));
      if (uptime) current.uptime_s = *uptime;
      counts.bad_lines += uptime ? 0 : 1;
      expect = uptime ? Expect::kThreads : Expect::kTime;
    } else if (const auto stat = parse_thread_stat(line); stat && expect == Expect::kThreads) {
      current.threads.push_back(*stat);
    } else {
      ++counts.bad_lines;
    }
  }
  finish();
  return counts;
}

void append_host_cpu(std::string& out, std::uint64_t time_ns, std::string_view uptime_line,
                     std::span<const std::string> stat_lines) {
  append_time(out, time_ns);
  append_line(out, uptime_line);
  for (const std::string& stat : stat_lines) {
    const std::size_t begin = out.size();
    append_line(out, stat);
    const std::size_t open = out.find('(', begin);
    const std::size_t close = out.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) continue;
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(open),
        out.begin() + static_cast<std::ptrdiff_t>(close),
        [](char c) { return c == ' ' || c == '\t' || c == '\n'; }, '_');
  }
}

// ---- Memory

TextCounts read_host_memory(std::string_view text,
                            const std::function<void(const HostMemorySample&)>& sample) {
  TextCounts counts;
  std::string_view line;
  while (take_line(text, line)) {
    if (trim(line).empty()) continue;
    HostMemorySample current;
    if (take_number(line, current.time_ns) && take_number(line, current.size_pages) &&
        take_number(line, current.resident_pages)) {
      sample(current);
      ++counts.samples;
    } else {
      ++counts.bad_lines;
    }
  }
  return counts;
}

void append_host_memory(std::string& out, std::uint64_t time_ns, std::string_view statm_line) {
  append_integer(out, time_ns);
  out += ' ';
  append_line(out, statm_line);
}

// ---- Disk

namespace {

// Kilobytes per second from iotop's value and unit.
std::optional<double> kilobytes_per_second(std::string_view value, std::string_view unit) {
  const auto number = parse_number<double>(value);
  if (!number || unit.size() != 3 || !unit.ends_with("/s")) return std::nullopt;
  switch (unit.front()) {
    case 'B':
      return *number / 1024;
    case 'K':
      return *number;
    case 'M':
      return *number * 1024;
    case 'G':
      return *number * 1024 * 1024;
    default:
      return std::nullopt;
  }
}

std::optional<HostDiskSample> parse_disk_line(std::string_view line) {
  std::array<std::string_view, 11> words;
  std::size_t count = 0;
  while (count < words.size()) {
    const std::string_view word = take_word(line);
    if (word.empty()) break;
    words[count++] = word;
  }
  if (count < 8) return std::nullopt;
  const auto pid = parse_number<std::uint32_t>(words[1]);
  const auto read = kilobytes_per_second(words[4], words[5]);
  const auto write = kilobytes_per_second(words[6], words[7]);
  if (!pid || !read || !write) return std::nullopt;
  HostDiskSample sample{.pid = *pid, .read_kb_s = *read, .write_kb_s = *write};
  // Without delay accounting in the kernel iotop prints "?unavailable?" here.
  sample.swap_in_percent = parse_number<double>(words[8]).value_or(0);
  sample.io_percent = parse_number<double>(words[10]).value_or(0);
  return sample;
}

bool is_disk_heading(std::string_view line) {
  return line.find("DISK READ") != std::string_view::npos ||
         line.find("DISK WRITE") != std::string_view::npos;
}

}  // namespace

HostDiskCounts read_host_disk(std::string_view text,
                              const std::function<void(const HostDiskSample&)>& sample) {
  constexpr std::string_view kStart = "start_time ";
  HostDiskCounts counts;
  std::string_view line;
  while (take_line(text, line)) {
    if (trim(line).empty() || is_disk_heading(line)) continue;
    if (line.starts_with(kStart)) {
      counts.start_time_ns = parse_number<std::uint64_t>(trim(line.substr(kStart.size())));
      counts.bad_lines += counts.start_time_ns ? 0 : 1;
    } else if (const auto current = parse_disk_line(line)) {
      sample(*current);
      ++counts.samples;
    } else {
      ++counts.bad_lines;
    }
  }
  return counts;
}

void append_host_disk(std::string& out, std::string_view clock_text, const HostDiskSample& sample,
                      std::string_view user, std::string_view command) {
  out += clock_text;
  out += ' ';
  append_integer(out, sample.pid);
  out.append(" be/4 ").append(user);
  for (const auto& [value, unit] : {std::pair{sample.read_kb_s, " K/s"},
                                    {sample.write_kb_s, " K/s"},
                                    {sample.swap_in_percent, " %"},
                                    {sample.io_percent, " %"}}) {
    out += ' ';
    append_fixed(out, value, 2);
    out += unit;
  }
  out += ' ';
  append_line(out, command);
}

void append_host_disk_end(std::string& out, std::uint64_t start_time_ns) {
  out += "start_time ";
  append_integer(out, start_time_ns);
  out += '\n';
}

// ---- Network

namespace {

std::optional<NetworkCounter> parse_interface(std::string_view line) {
  const auto parts = split_at_colon(line);
  if (!parts) return std::nullopt;
  NetworkCounter counter{.name = trim(parts->key)};
  std::string_view rest = parts->value;
  if (!take_number(rest, counter.received_bytes)) return std::nullopt;
  skip_words(rest, 7);
  if (!take_number(rest, counter.sent_bytes)) return std::nullopt;
  return counter;
}

}  // namespace

TextCounts read_host_network(std::string_view text,
                             const std::function<void(const HostNetworkSample&)>& sample) {
  TextCounts counts;
  HostNetworkSample current;
  bool open = false;
  const auto finish = [&] {
    if (!open) return;
    sample(current);
    ++counts.samples;
  };
  std::string_view line;
  while (take_line(text, line)) {
    if (trim(line).empty()) continue;
    if (const auto time_ns = parse_time_line(line)) {
      finish();
      current = {.time_ns = *time_ns};
      open = true;
    } else if (const auto counter = parse_interface(line); counter && open) {
      current.interfaces.push_back(*counter);
    } else {
      ++counts.bad_lines;
    }
  }
  finish();
  return counts;
}

void append_host_network(std::string& out, std::uint64_t time_ns, std::string_view proc_net_dev) {
  append_time(out, time_ns);
  std::string_view line;
  while (take_line(proc_net_dev, line)) {
    const auto counter = parse_interface(line);
    if (!counter) continue;
    // One blank after the colon whatever the kernel's columns: readers count words.
    out.append(counter->name).append(": ");
    append_line(out, split_at_colon(line)->value);
  }
}

}  // namespace npuprof::format::host
