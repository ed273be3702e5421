#include "format/host/proc_blocks.h"

#include <utility>

#include "base/text.h"
#include "format/text_scan.h"

namespace npuprof::format::host {
namespace {

constexpr std::string_view kProcessName = "ProcessName:";

// A command may hold a colon of its own.
std::optional<std::string_view> parse_process_name(std::string_view line) {
  if (!line.starts_with(kProcessName)) return std::nullopt;
  return trim(line.substr(kProcessName.size()));
}

// User and system time of a process and of its children, from its stat line.
std::optional<std::uint64_t> parse_used_jiffies(std::string_view line) {
  const std::size_t close = line.rfind(") ");  // The command name may contain anything.
  if (close == std::string_view::npos) return std::nullopt;
  line.remove_prefix(close + 2);
  skip_words(line, 11);  // Fields 2..12, the id being field 0.
  std::uint64_t sum = 0;
  for (int field = 13; field <= 16; ++field) {
    std::uint64_t jiffies = 0;
    if (!take_number(line, jiffies)) return std::nullopt;
    sum += jiffies;
  }
  return sum;
}

}  // namespace

TextCounts read_proc_blocks(std::string_view text,
                            const std::function<void(const ProcBlock&)>& block) {
  constexpr std::string_view kTimeStamp = "TimeStamp:";
  constexpr std::string_view kIndex = "Index:";
  constexpr std::string_view kLength = "DataLen:";
  TextCounts counts;
  ProcBlock current;
  bool open = false;
  const char* body_end = nullptr;
  std::uint64_t announced_bytes = 0;
  const auto finish = [&] {
    if (!std::exchange(open, false)) return;
    if (current.body.data() != nullptr) {
      current.body = {current.body.data(),
                      static_cast<std::size_t>(body_end - current.body.data())};
    }
    // Its last line may have been cut inside a number. The announced size counts the line's end.
    if (announced_bytes > current.body.size() + 1) {
      ++counts.bad_lines;
      return;
    }
    block(current);
    ++counts.samples;
  };
  std::string_view line;
  while (take_line(text, line)) {
    if (line.starts_with(kTimeStamp)) {
      finish();
      const auto time_ns = parse_number<std::uint64_t>(trim(line.substr(kTimeStamp.size())));
      counts.bad_lines += time_ns ? 0 : 1;
      open = time_ns.has_value();
      current = {.time_ns = time_ns.value_or(0)};
      announced_bytes = 0;
    } else if (trim(line).empty()) {
      finish();
    } else if (!open) {
      ++counts.bad_lines;
    } else if (current.body.data() == nullptr && line.starts_with(kIndex)) {
      current.index = parse_number<std::uint64_t>(trim(line.substr(kIndex.size()))).value_or(0);
    } else if (current.body.data() == nullptr && line.starts_with(kLength)) {
      announced_bytes = parse_number<std::uint64_t>(trim(line.substr(kLength.size()))).value_or(0);
    } else {
      if (current.body.data() == nullptr) current.body = line;
      body_end = line.data() + line.size();
    }
  }
  finish();
  return counts;
}

void append_proc_block(std::string& out, const ProcBlock& block) {
  std::string body;
  std::string_view text = block.body;
  std::string_view line;
  while (take_line(text, line)) {
    if (!trim(line).empty()) body.append(line).append("\n");  // An empty line would end the block.
  }
  out += "TimeStamp:";
  append_integer(out, block.time_ns);
  out += "\nIndex:";
  append_integer(out, block.index);
  out += "\nDataLen:";
  append_integer(out, body.size());
  out.append("\n").append(body).append("\n");
}

std::optional<std::uint32_t> CpuTimes::cpu() const {
  return parse_number<std::uint32_t>(name.substr(std::string_view("cpu").size()));
}

std::optional<CpuTimes> parse_cpu_times(std::string_view line) {
  CpuTimes times{.name = take_word(line)};
  if (!times.name.starts_with("cpu")) return std::nullopt;
  for (std::uint64_t* field : {&times.user, &times.nice, &times.system, &times.idle, &times.io_wait,
                               &times.irq, &times.soft_irq}) {
    if (!take_number(line, *field)) return std::nullopt;
  }
  take_number(line, times.steal);  // Old kernels do not tell.
  return times;
}

std::optional<MemoryLine> parse_memory_line(std::string_view line) {
  const auto parts = split_at_colon(line);
  if (!parts) return std::nullopt;
  MemoryLine memory{.name = trim(parts->key)};
  std::string_view rest = parts->value;
  if (memory.name.empty() || !take_number(rest, memory.kilobytes)) return std::nullopt;
  return memory;
}

std::optional<ProcessTimes> parse_process_times(std::string_view body) {
  ProcessTimes times;
  std::optional<std::uint64_t> used;
  std::optional<CpuTimes> machine;
  std::string_view line;
  while (take_line(body, line)) {
    if (const auto name = parse_process_name(line)) {
      times.name = *name;
    } else if (const auto cpu = parse_cpu_times(line); cpu && cpu->name == "cpu") {
      machine = cpu;
    } else if (!used) {
      used = parse_used_jiffies(line);
    }
  }
  if (!used || !machine) return std::nullopt;
  times.used_jiffies = *used;
  times.machine_jiffies = machine->total();
  return times;
}

std::optional<ProcessPages> parse_process_pages(std::string_view body) {
  ProcessPages pages;
  bool is_known = false;
  std::string_view line;
  while (take_line(body, line)) {
    if (const auto name = parse_process_name(line)) {
      pages.name = *name;
    } else if (!is_known) {
      is_known = take_number(line, pages.size) && take_number(line, pages.resident) &&
                 take_number(line, pages.shared);
    }
  }
  if (!is_known) return std::nullopt;
  return pages;
}

std::optional<MemoryInfo> parse_memory_info(std::string_view body) {
  MemoryInfo info;
  const std::array<std::pair<std::string_view, std::uint64_t*>, 9> fields{
      {{"MemTotal", &info.total_kb},
       {"MemFree", &info.free_kb},
       {"Buffers", &info.buffers_kb},
       {"Cached", &info.cached_kb},
       {"Shmem", &info.shared_kb},
       {"CommitLimit", &info.commit_limit_kb},
       {"Committed_AS", &info.committed_kb},
       {"HugePages_Total", &info.huge_pages_total},
       {"HugePages_Free", &info.huge_pages_free}}};
  constexpr std::size_t kAlwaysThere = 7;
  std::size_t found = 0;
  std::string_view line;
  while (take_line(body, line)) {
    const auto memory = parse_memory_line(line);
    if (!memory) continue;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (memory->name != fields[i].first) continue;
      *fields[i].second = memory->kilobytes;
      if (i < kAlwaysThere) ++found;
    }
  }
  if (found != kAlwaysThere) return std::nullopt;
  return info;
}

}  // namespace npuprof::format::host
