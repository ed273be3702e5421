#include "load/cann_host/host_session.h"

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
#include "format/host/api_event.h"
#include "format/host/file_names.h"
#include "format/host/msproftx.h"
#include "load/cann_host/host_files.h"
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
    if (name == format::host::kSampleFile) add(device.path / name);  // Has no number anywhere.
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
        losses_.add(copy.path.native(), 0, 0,
                    "The file cannot be used: an entry is missing or cannot be right.");
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
constexpr double kHighestMhz = 100'000;

// The frequency of the counter in Hz, 0 if stamps are nanoseconds already.
std::uint64_t stated_counter_hz(const InfoJson& info) {
  const double mhz = info.cpus.empty() ? 0 : info.cpus[0].frequency_mhz.value_or(0);
  if (!(mhz > 0 && mhz < kHighestMhz) || mhz == kNanosecondMhz) return 0;
  return static_cast<std::uint64_t>(std::llround(mhz * 1e6));
}

// The counter and the monotonic clock both count from the start of the machine, but for a few
// seconds; after hours that tells the frequency to a MHz, of which counters have a whole number.
std::uint64_t estimated_counter_hz(const ClockLog& log) {
  const double mhz = static_cast<double>(*log.counter) * 1e3 /
                     static_cast<double>(std::max<std::uint64_t>(*log.monotonic_raw_ns, 1));
  const double whole_mhz = std::round(mhz);
  if (!(whole_mhz >= 1 && whole_mhz < kHighestMhz) || whole_mhz == kNanosecondMhz) return 0;
  return static_cast<std::uint64_t>(whole_mhz) * 1'000'000;
}

// Stamps of the first records of a file.
template <format::Record T, typename StampOf>
std::vector<std::uint64_t> first_stamps(const std::vector<HostSlice>& slices, StampOf&& stamp_of) {
  constexpr std::size_t kLookedAt = 64;
  std::vector<std::uint64_t> stamps;
  for (const HostSlice& slice : slices) {
    Bytes bytes = slice.file.bytes();
    for (; bytes.size() >= sizeof(T) && stamps.size() < kLookedAt;
         bytes = bytes.subspan(sizeof(T))) {
      const std::optional<std::uint64_t> stamp = stamp_of(format::load<T>(bytes.data()));
      if (stamp) stamps.push_back(*stamp);
    }
  }
  return stamps;
}

// A stamp from the begin of the collection; nothing if there are neither calls nor marks. The
// middle one of several, since any of them may be damaged.
std::optional<std::uint64_t> early_stamp(const CannDirectory& directory) {
  using format::host::ApiEvent;
  using format::host::Msproftx;
  if (directory.host.empty()) return std::nullopt;
  trace::Losses ignored;  // The records are read again.
  const HostFiles files(directory.host / "data", ignored);
  std::vector<std::uint64_t> stamps =
      first_stamps<ApiEvent>(files.open(format::host::Module::kApiEvent, "data", ignored),
                             [](const ApiEvent& event) -> std::optional<std::uint64_t> {
                               if (event.magic != format::host::kMagic) return std::nullopt;
                               return event.begin;
                             });
  if (stamps.empty()) {
    stamps = first_stamps<Msproftx>(files.open(Msproftx::kKind, ignored),
                                    [](const Msproftx& mark) { return mark.start.get(); });
  }
  if (stamps.empty()) return std::nullopt;
  return median_of(std::move(stamps));
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

// The frequency that puts `stamp` near the begin of the collection: the one that info.json states,
// or else the one that the log tells. Nothing if none does: then the log is wrong.
std::optional<std::uint64_t> fitting_counter_hz(const InfoJson& info, const ClockLog& log,
                                                std::uint64_t stamp) {
  const auto begin_ns = static_cast<std::int64_t>(*log.monotonic_raw_ns);
  for (const std::uint64_t hz :
       {stated_counter_hz(info), estimated_counter_hz(log), std::uint64_t{0}}) {
    if (is_near(make_ticks(log, hz)->to_ns(stamp), begin_ns)) return hz;
  }
  return std::nullopt;
}

std::uint64_t choose_counter_hz(const CannDirectory& directory, const InfoJson& info,
                                const std::optional<ClockLog>& log,
                                std::optional<std::uint64_t> stamp, trace::Losses& losses) {
  const std::uint64_t stated_hz = stated_counter_hz(info);
  if (!log || !stamp) return stated_hz;
  const auto hz = fitting_counter_hz(info, *log, *stamp);
  if (!hz) {  // One of profiler_info.
    losses.add((directory.host / format::host::kHostClockFile).native(), 0, 0,
               "The clocks do not fit the recorded calls: host times may be wrong.");
    return stated_hz;
  }
  if (*hz != stated_hz) {
    losses.add(
        (directory.host / format::host::kInfoFile).native(), 0, 0,
        *hz == 0 ? "The frequency of the CPU cannot be right: host times are taken as nanoseconds."
                 : "The frequency of the CPU is missing or cannot be right: " +
                       std::to_string(*hz / 1'000'000) + " MHz is assumed, by host_start.log.");
  }
  return *hz;
}

// What CLOCK_MONOTONIC_RAW lacks to the wall clock, by end_info.
std::optional<std::int64_t> end_to_wall_ns(const CollectionTime& end) {
  const auto end_ns = wall_ns(end.end_us);
  const auto monotonic_ns = plausible(end.monotonic_raw_ns);
  return end_ns && monotonic_ns && *monotonic_ns > 0 ? plausible(*end_ns - *monotonic_ns)
                                                     : std::nullopt;
}

// Where the wall clock stood at the begin of the collection.
void read_begin(SessionReader& reader, const std::optional<ClockLog>& log,
                const std::optional<CollectionTime>& end, const FrameworkClocks& framework,
                HostSession& result) {
  const auto start = reader.read<CollectionTime>(
      format::host::kStartFile, format::host::parse_collection_time,
      [](const CollectionTime& time) { return load::monotonic_to_wall_ns(time).has_value(); });
  if (start) {
    result.begin_ns = *wall_ns(start->begin_us);
    result.monotonic_to_wall_ns = *load::monotonic_to_wall_ns(*start);
    // Both files were made at the begin.
    const std::int64_t to_begin_ns =
        log ? saturated_difference(result.begin_ns,
                                   static_cast<std::int64_t>(*log->monotonic_raw_ns))
            : result.monotonic_to_wall_ns;
    if (!is_near(to_begin_ns, result.monotonic_to_wall_ns)) {
      result.monotonic_to_wall_ns = to_begin_ns;
      reader.missing(format::host::kStartFile,
                     "its clockMonotonicRaw does not fit host_start.log, which is used");
    }
  } else if (log && log->realtime_ns && *log->realtime_ns < std::uint64_t{kMaxPlausible}) {
    result.begin_ns = static_cast<std::int64_t>(*log->realtime_ns);
    result.monotonic_to_wall_ns =
        saturated_difference(result.begin_ns, static_cast<std::int64_t>(*log->monotonic_raw_ns));
    reader.missing(format::host::kStartFile,
                   "the start of the collection is taken from host_start.log");
  } else if (log && (end || framework.monotonic_to_wall_ns != 0)) {
    result.monotonic_to_wall_ns = end ? *end_to_wall_ns(*end) : framework.monotonic_to_wall_ns;
    result.begin_ns = saturated_sum(static_cast<std::int64_t>(*log->monotonic_raw_ns),
                                    result.monotonic_to_wall_ns);
    reader.missing(format::host::kStartFile, end ? "the wall clock is taken from end_info"
                                                 : "the wall clock is taken from profiler_info");
  } else {
    reader.missing(format::host::kStartFile,
                   "times count from the start of the machine, not from 1970");
  }
}

// Reads what ties the counter to the wall clock.
void read_clocks(const CannDirectory& directory, SessionReader& reader,
                 const FrameworkClocks& framework, std::optional<CollectionTime> end,
                 HostSession& result, trace::Losses& losses) {
  const std::optional<std::uint64_t> stamp = early_stamp(directory);
  auto log = reader.read<ClockLog>(
      format::host::kHostClockFile, read_clock_log, [&](const ClockLog& copy) {
        return has_anchor(copy) && (!stamp || fitting_counter_hz(result.info, copy, *stamp));
      });
  if (!log && framework.log) {
    log = framework.log;
    reader.missing(format::host::kHostClockFile, "the clock is taken from profiler_info");
  }
  if (end && !end_to_wall_ns(*end)) end.reset();
  read_begin(reader, log, end, framework, result);
  result.counter_hz = choose_counter_hz(directory, result.info, log, stamp, losses);
  const auto ticks = make_ticks(log, result.counter_hz);
  result.has_anchor = ticks.has_value();
  result.clock = HostClock(ticks.value_or(TickClock{.frequency_hz = result.counter_hz}),
                           result.monotonic_to_wall_ns);
  if (!ticks) {
    reader.missing(format::host::kHostClockFile,
                   "host times are counted from the first call, and may not fit device times");
  }
  result.is_clock_sure = ticks && stamp && result.begin_ns != 0 &&
                         is_near(result.clock.to_wall_ns(*stamp), result.begin_ns);
}

}  // namespace

HostSession read_host_session(const CannDirectory& directory, const FrameworkClocks& framework,
                              trace::Session& session, trace::Losses& losses) {
  SessionReader reader(directory, losses);
  HostSession result;

  const bool is_first = session.begin_ns == 0;
  auto info = reader.read<InfoJson>(
      format::host::kInfoFile, format::host::parse_info_json,
      [](const InfoJson& json) { return !json.cpus.empty() || json.platform_version; });
  if (info) {
    result.info = std::move(*info);
    if (is_first) fill_machine(result.info, session);
  } else {
    reader.missing(format::host::kInfoFile,
                   "the chip is not known and host times are taken as nanoseconds");
  }

  const auto sample =
      reader.read<SampleJson>(format::host::kSampleFile, format::host::parse_sample_json,
                              [](const SampleJson&) { return true; });
  if (!sample)
    reader.missing(format::host::kSampleFile, "what was collected is guessed from the data");
  const auto end = reader.read<CollectionTime>(
      format::host::kEndFile, format::host::parse_collection_time,
      [](const CollectionTime& time) { return wall_ns(time.end_us).has_value(); });
  read_clocks(directory, reader, framework, end, result, losses);
  if (is_first) {
    session.level = level_of(sample);
    if (sample) session.disk_sample_hz = static_cast<double>(sample->host_disk_freq.value_or(0));
    session.begin_ns = result.begin_ns;
    session.monotonic_to_wall_ns = result.monotonic_to_wall_ns;
    session.host_counter_mhz =
        result.counter_hz == 0 ? kNanosecondMhz : static_cast<double>(result.counter_hz) / 1e6;
  }

  if (!end) {
    reader.missing(format::host::kEndFile,
                   "the collection did not finish, its last records may be lost");
  } else if (result.begin_ns != 0) {  // Otherwise all times count from the start of the machine.
    session.end_ns = std::max(session.end_ns, *wall_ns(end->end_us));
  }
  return result;
}

std::vector<HostSession> read_host_sessions(std::span<const CannDirectory> collections,
                                            const FrameworkClocks& framework,
                                            trace::Session& session, trace::Losses& losses) {
  std::vector<HostSession> sessions;
  sessions.reserve(collections.size());
  for (const CannDirectory& collection : collections) {
    sessions.push_back(read_host_session(collection, framework, session, losses));
  }
  return sessions;
}

}  // namespace npuprof::load
