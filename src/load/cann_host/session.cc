#include "load/cann_host/session.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/saturated.h"
#include "load/collection_clock.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using format::host::ClockLog;
using format::host::CollectionTime;
using format::host::InfoJson;
using format::host::SampleJson;

struct ControlText {
  fs::path path;
  std::string text;
};

// The copies of a control file that exist, the one of the host first.
std::vector<ControlText> read_copies(const CannDirectory& directory, std::string_view name) {
  std::vector<ControlText> copies;
  const auto add = [&](fs::path path) {
    auto text = read_file(path);
    if (text.ok()) copies.push_back({std::move(path), std::move(*text)});
  };
  if (!directory.host.empty()) add(directory.host / name);
  for (const DeviceDirectory& device : directory.devices) {
    add(device.path / (std::string(name) + "." + std::to_string(device.id)));
    if (name == "sample.json") add(device.path / name);  // Has no number anywhere.
  }
  return copies;
}

class SessionReader {
 public:
  SessionReader(const CannDirectory& directory, trace::Losses& losses)
      : directory_(directory),
        home_(directory.host.empty() ? directory.path : directory.host),
        losses_(losses) {}

  // The first copy that parses and is `usable`.
  template <typename T, typename Parse, typename Usable>
  std::optional<T> read(std::string_view name, Parse&& parse, Usable&& usable) {
    for (const ControlText& copy : read_copies(directory_, name)) {
      Result<T> parsed = parse(copy.text);
      if (!parsed.ok()) {
        losses_.add(copy.path.native(), 0, 0,
                    "The file cannot be used: " + parsed.error().message + ".");
      } else if (usable(*parsed)) {
        return std::move(*parsed);
      } else {
        losses_.add(copy.path.native(), 0, 0, "The file cannot be used: an entry is missing.");
      }
    }
    return std::nullopt;
  }
  void missing(std::string_view name, std::string_view consequence) {
    losses_.add((home_ / name).native(), 0, 0,
                "The file is missing or damaged: " + std::string(consequence) + ".");
  }

 private:
  const CannDirectory& directory_;
  fs::path home_;
  trace::Losses& losses_;
};

// Readers of a clock log do not fail; they may just find nothing.
Result<ClockLog> read_clock_log(std::string_view text) {
  return format::host::parse_clock_log(text);
}

constexpr double kNanosecondMhz = 1000;

// The frequency of the counter in Hz, 0 if stamps are nanoseconds already.
std::uint64_t counter_hz(const InfoJson& info) {
  constexpr double kHighestMhz = 100'000;
  const double mhz = info.cpus.empty() ? 0 : info.cpus[0].frequency_mhz.value_or(0);
  if (!(mhz > 0 && mhz < kHighestMhz) || mhz == kNanosecondMhz) return 0;
  return static_cast<std::uint64_t>(std::llround(mhz * 1e6));
}

trace::Level level_of(const std::optional<SampleJson>& sample) {
  const std::optional<int> level = sample ? sample->level() : std::nullopt;
  if (!level) return trace::Level::kUnknown;
  if (*level == 0) return trace::Level::kLevel0;
  return *level == 1 ? trace::Level::kLevel1 : trace::Level::kLevel2;
}

void fill_machine(const InfoJson& info, trace::Session& session) {
  session.pid = static_cast<std::uint32_t>(info.pid.value_or(0));
  session.process_name = info.pid_name;
  session.host_name = info.hostname;
  session.host_uid = info.host_uid.value_or("");
  session.cann_version = info.cann_version;
  session.chip = static_cast<std::uint32_t>(info.platform_version.value_or(0));
  session.driver_version =
      static_cast<std::uint64_t>(std::max<std::int64_t>(info.driver_version, 0));
  session.cpu_count = static_cast<std::uint32_t>(std::max<std::int64_t>(info.cpu_count, 0));
  session.memory_kb = static_cast<std::uint64_t>(std::max<std::int64_t>(info.memory_total_kb, 0));
  for (const auto& card : info.network_cards) {
    session.network_cards.emplace_back(card.name, card.speed_mbit_s);
  }
  const std::uint64_t hz = counter_hz(info);
  session.host_counter_mhz = hz == 0 ? kNanosecondMhz : static_cast<double>(hz) / 1e6;
  session.simulated = session.simulated || info.simulated.value_or(false);
  if (session.rank < 0 && info.rank_id >= 0) session.rank = static_cast<std::int32_t>(info.rank_id);
}

// The counter's place on the monotonic clock; nothing if no log says it.
std::optional<TickClock> make_ticks(const std::optional<ClockLog>& log, std::uint64_t hz) {
  if (hz == 0) return TickClock{};
  if (!log) return std::nullopt;
  TickClock ticks{.ticks_at_anchor = *log->counter,
                  .ns_at_anchor = static_cast<std::int64_t>(*log->monotonic_raw_ns),
                  .frequency_hz = hz};
  // Ticks that passed between the two readings.
  const std::int64_t diff = log->counter_diff.value_or(0);
  const auto magnitude =
      diff < 0 ? 0 - static_cast<std::uint64_t>(diff) : static_cast<std::uint64_t>(diff);
  const std::int64_t diff_ns = ticks.duration_ns(magnitude);
  ticks.ns_at_anchor = saturated_difference(ticks.ns_at_anchor, diff < 0 ? diff_ns : -diff_ns);
  return ticks;
}

// Reads what ties the counter to the wall clock.
void read_clocks(SessionReader& reader, HostSession& result, trace::Session& session) {
  const bool is_first = session.begin_ns == 0;
  const auto log = reader.read<ClockLog>("host_start.log", read_clock_log, has_anchor);
  const auto start = reader.read<CollectionTime>(
      "start_info", format::host::parse_collection_time,
      [](const CollectionTime& time) { return load::monotonic_to_wall_ns(time).has_value(); });
  std::int64_t begin_ns = 0;
  std::int64_t monotonic_to_wall_ns = 0;
  if (start) {
    begin_ns = *wall_ns(start->begin_us);
    monotonic_to_wall_ns = *load::monotonic_to_wall_ns(*start);
  } else if (log && log->realtime_ns) {
    begin_ns = static_cast<std::int64_t>(*log->realtime_ns);
    monotonic_to_wall_ns =
        saturated_difference(begin_ns, static_cast<std::int64_t>(*log->monotonic_raw_ns));
    reader.missing("start_info", "the start of the collection is taken from host_start.log");
  } else {
    reader.missing("start_info", "times count from the start of the machine, not from 1970");
  }
  if (is_first) {
    session.begin_ns = begin_ns;
    session.monotonic_to_wall_ns = monotonic_to_wall_ns;
  }
  const std::uint64_t hz = counter_hz(result.info);
  const auto ticks = make_ticks(log, hz);
  result.has_anchor = ticks.has_value();
  result.clock = HostClock(ticks.value_or(TickClock{.frequency_hz = hz}), monotonic_to_wall_ns);
  if (!ticks) {
    reader.missing("host_start.log",
                   "host times are counted from the first call, and may not fit device times");
  }
}

}  // namespace

HostSession read_host_session(const CannDirectory& directory, trace::Session& session,
                              trace::Losses& losses) {
  SessionReader reader(directory, losses);
  HostSession result;

  const bool is_first = session.begin_ns == 0;
  auto info = reader.read<InfoJson>("info.json", format::host::parse_info_json,
                                    [](const InfoJson&) { return true; });
  if (info) {
    result.info = std::move(*info);
    if (is_first) fill_machine(result.info, session);
  } else {
    reader.missing("info.json", "the chip is not known and host times are taken as nanoseconds");
  }

  const auto sample = reader.read<SampleJson>("sample.json", format::host::parse_sample_json,
                                              [](const SampleJson&) { return true; });
  if (!sample) reader.missing("sample.json", "what was collected is guessed from the data");
  if (is_first) {
    session.level = level_of(sample);
    if (sample) session.disk_sample_hz = static_cast<double>(sample->host_disk_freq.value_or(0));
  }

  read_clocks(reader, result, session);

  const auto end = reader.read<CollectionTime>(
      "end_info", format::host::parse_collection_time,
      [](const CollectionTime& time) { return wall_ns(time.end_us).has_value(); });
  if (end) {
    session.end_ns = std::max(session.end_ns, *wall_ns(end->end_us));
  } else {
    reader.missing("end_info", "the collection did not finish, its last records may be lost");
  }
  return result;
}

}  // namespace npuprof::load
