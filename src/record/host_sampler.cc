#include "record/host_sampler.h"

#include <algorithm>
#include <ctime>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "base/file.h"
#include "base/first_error.h"
#include "base/text.h"
#include "format/host/host_text.h"
#include "format/text_scan.h"

namespace npuprof::record {

namespace host = format::host;

namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

std::string read_or_empty(const std::filesystem::path& path) {
  return read_file(path).value_or({});
}

// The value of a line "name: value".
std::uint64_t value_of(std::string_view text, std::string_view name) {
  std::string_view line;
  while (format::take_line(text, line)) {
    const auto entry = format::split_at_colon(line);
    if (entry && entry->key == name) {
      return parse_number<std::uint64_t>(trim(entry->value)).value_or(0);
    }
  }
  return 0;
}

// Field `index` of a stat line, counted from the id as 0; the name may contain blanks.
std::uint64_t stat_field(std::string_view line, int index) {
  const std::size_t close = line.rfind(')');
  if (close == std::string_view::npos) return 0;
  std::string_view rest = trim(line.substr(close + 1));
  for (int field = 2; field < index; ++field) format::take_word(rest);
  return parse_number<std::uint64_t>(format::take_word(rest)).value_or(0);
}

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[16];
  return std::string(text, std::strftime(text, sizeof(text), "%H:%M:%S", &parts));
}

double rate_kb_s(std::uint64_t before, std::uint64_t after, double seconds) {
  if (after < before || seconds <= 0) return 0;
  return static_cast<double>(after - before) / 1024 / seconds;
}

}  // namespace

std::vector<std::string> HostSystem::names() const {
  std::vector<std::string> chosen;
  if (cpu) chosen.emplace_back("cpu");
  if (memory) chosen.emplace_back("mem");
  if (disk) chosen.emplace_back("disk");
  if (network) chosen.emplace_back("network");
  return chosen;
}

std::string HostSystem::text() const {
  std::string list;
  for (const std::string& name : names()) list.append(list.empty() ? "" : ",").append(name);
  return list;
}

HostSampler::HostSampler(const std::filesystem::path& data_directory, HostSamplerOptions options)
    : options_(std::move(options)),
      period_ns_(kNsPerSecond / std::max(options_.frequency_hz, 1u)),
      cpu_(data_directory, std::string(host::kHostCpuFile)),
      memory_(data_directory, std::string(host::kHostMemoryFile)),
      disk_(data_directory, std::string(host::kHostDiskFile)),
      network_(data_directory, std::string(host::kHostNetworkFile)),
      command_(trim(read_or_empty(process_path() / "comm"))) {}

void HostSampler::sample(std::uint64_t now_ns) {
  if (now_ns < next_due_ns_) return;
  if (options_.watch.cpu) sample_cpu(now_ns);
  if (options_.watch.memory) sample_memory(now_ns);
  if (options_.watch.disk) sample_disk(now_ns);
  if (options_.watch.network) sample_network(now_ns);
  // Keeps to the grid of the first sample, so that the rate is right on average.
  next_due_ns_ = next_due_ns_ == 0 ? now_ns + period_ns_ : next_due_ns_ + period_ns_;
  if (next_due_ns_ <= now_ns) next_due_ns_ = now_ns + period_ns_;
}

void HostSampler::sample_cpu(std::uint64_t now_ns) {
  const std::string uptime = read_or_empty(options_.proc / "uptime");
  if (uptime.empty()) return;
  std::vector<std::uint32_t> threads;
  std::error_code error;
  std::filesystem::directory_iterator entries(process_path() / "task", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const auto id = parse_number<std::uint32_t>(entries->path().filename().native());
    if (id) threads.push_back(*id);
  }
  std::sort(threads.begin(), threads.end());
  stat_lines_.clear();
  for (const std::uint32_t thread : threads) {
    std::string line = read_or_empty(process_path() / "task" / std::to_string(thread) / "stat");
    if (!line.empty()) stat_lines_.push_back(std::move(line));  // The thread may be gone by now.
  }
  text_.clear();
  host::append_host_cpu(text_, now_ns, uptime, stat_lines_);
  cpu_.write(text_);
}

void HostSampler::sample_memory(std::uint64_t now_ns) {
  const std::string statm = read_or_empty(process_path() / "statm");
  if (statm.empty()) return;
  text_.clear();
  host::append_host_memory(text_, now_ns, statm);
  memory_.write(text_);
}

void HostSampler::sample_network(std::uint64_t now_ns) {
  const std::string interfaces = read_or_empty(options_.proc / "net" / "dev");
  if (interfaces.empty()) return;
  text_.clear();
  host::append_host_network(text_, now_ns, interfaces);
  network_.write(text_);
}

HostSampler::DiskCounters HostSampler::read_disk_counters() const {
  constexpr int kBlockDelayField = 41;
  const std::string io = read_or_empty(process_path() / "io");
  const std::string stat = read_or_empty(process_path() / "stat");
  return {.read_bytes = value_of(io, "read_bytes"),
          .written_bytes = value_of(io, "write_bytes"),
          .delay_jiffies = stat_field(stat, kBlockDelayField)};
}

// Lines have no time of their own: line i stands for [start + i * period, start + (i + 1) *
// period). So after a pause the average over it is written once for each period.
void HostSampler::sample_disk(std::uint64_t now_ns) {
  const DiskCounters counters = read_disk_counters();
  if (!disk_start_ns_) {
    disk_start_ns_ = now_ns;
    disk_time_ns_ = now_ns;
    disk_counters_ = counters;
    return;
  }
  constexpr std::uint64_t kMostLines = 100'000;  // A clock that jumps must not fill the disk.
  const std::uint64_t lines = std::min((now_ns - disk_time_ns_) / period_ns_, kMostLines);
  if (lines == 0) return;
  const double seconds = static_cast<double>(now_ns - disk_time_ns_) / kNsPerSecond;
  const auto jiffies_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::uint64_t waited = counters.delay_jiffies >= disk_counters_.delay_jiffies
                                   ? counters.delay_jiffies - disk_counters_.delay_jiffies
                                   : 0;
  const host::HostDiskSample sample{
      .pid = options_.pid,
      .read_kb_s = rate_kb_s(disk_counters_.read_bytes, counters.read_bytes, seconds),
      .write_kb_s = rate_kb_s(disk_counters_.written_bytes, counters.written_bytes, seconds),
      .io_percent =
          std::min(100.0, static_cast<double>(waited) / jiffies_per_second / seconds * 100)};
  text_.clear();
  host::append_host_disk(text_, clock_text(), sample, std::to_string(::getuid()),
                         command_.empty() ? "-" : command_);
  for (std::uint64_t line = 0; line < lines; ++line) disk_.write(text_);
  disk_time_ns_ += lines * period_ns_;
  disk_counters_ = counters;
}

Status HostSampler::flush() {
  FirstError first;
  for (SliceWriter* writer : {&cpu_, &memory_, &disk_, &network_}) {
    writer->flush();
    first.keep(writer->status());
  }
  return first.status();
}

Status HostSampler::close() {
  if (disk_start_ns_) {
    text_.clear();
    host::append_host_disk_end(text_, *disk_start_ns_);
    disk_.write(text_);
    disk_start_ns_.reset();
  }
  FirstError first;
  for (SliceWriter* writer : {&cpu_, &memory_, &disk_, &network_}) {
    first.keep(writer->close());
  }
  return first.status();
}

}  // namespace npuprof::record
