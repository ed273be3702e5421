#include "load/cann_device/frequency_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "format/device/file_names.h"
#include "format/device/frequency.h"
#include "trace/device/frequencies.h"

namespace npuprof::load {
namespace {

using format::device::FrequencyChange;
using format::device::FrequencyKind;
using format::device::FrequencyRecord;

constexpr std::size_t kKinds = 3;

struct Change {
  std::uint64_t syscnt;
  std::uint32_t value;
};
using Changes = std::array<std::vector<Change>, kKinds>;

void read_changes(const DeviceFile& file, bool tells_kind, Changes& changes,
                  trace::Losses& losses) {
  const auto plausible = [](const FrequencyRecord& record) { return record.has_valid_count(); };
  file.for_each_record<FrequencyRecord>(losses, plausible, [&](const FrequencyRecord& record) {
    const std::uint32_t kind = tells_kind ? record.kind.get() : 0;
    if (!record.has_valid_count() || kind >= kKinds) return false;
    for (const FrequencyChange& change : record.used()) {
      changes[kind].push_back({change.syscnt, change.value});
    }
    return true;
  });
}

void append_change(const DeviceConfig& config, std::uint8_t kind, std::uint64_t syscnt,
                   std::uint32_t value, trace::Frequencies& table) {
  table.time_ns.push_back(config.clock.from_syscnt(syscnt));
  table.device.push_back(config.info.id);
  table.kind.push_back(kind);
  table.value.push_back(value);
  table.die.push_back(0);
}

}  // namespace

void FrequencyTable::add(std::uint64_t syscnt, double mhz) {
  if (mhz <= 0) usable_ = false;
  if (syscnt < changes_.front().syscnt) {
    changes_.front().mhz = mhz;
  } else {
    changes_.push_back({syscnt, mhz});
  }
}

double FrequencyTable::at(std::uint64_t syscnt) const {
  if (!usable_) return nominal_mhz_;
  const auto after = std::upper_bound(
      changes_.begin(), changes_.end(), syscnt,
      [](std::uint64_t time, const Change& change) { return time < change.syscnt; });
  return after == changes_.begin() ? changes_.front().mhz : std::prev(after)->mhz;
}

FrequencyTable load_frequency_files(const DeviceFiles& files, const DeviceConfig& config,
                                    DevicePart& out) {
  Changes changes;
  read_changes(files.open(format::device::kFrequencyFile, out.losses), false, changes, out.losses);
  read_changes(files.open(format::device::kVoltageFrequencyFile, out.losses), true, changes,
               out.losses);

  FrequencyTable frequencies(config.first_syscnt, config.info.aic_mhz);
  for (std::uint8_t kind = 0; kind < kKinds; ++kind) {
    std::vector<Change>& list = changes[kind];
    if (list.empty()) continue;
    std::stable_sort(list.begin(), list.end(),
                     [](const Change& a, const Change& b) { return a.syscnt < b.syscnt; });
    const bool is_frequency = kind == static_cast<std::uint8_t>(FrequencyKind::kAiCoreMhz);
    std::uint32_t initial = is_frequency
                                ? static_cast<std::uint32_t>(std::lround(config.info.aic_mhz))
                                : FrequencyRecord::kInitialMillivolt;
    std::size_t next = 0;
    while (next < list.size() && list[next].syscnt < config.first_syscnt) {
      initial = list[next++].value;
    }
    append_change(config, kind, config.first_syscnt, initial, out.tables.frequencies());
    for (; next < list.size(); ++next) {
      append_change(config, kind, list[next].syscnt, list[next].value, out.tables.frequencies());
    }
    if (!is_frequency) continue;
    for (const Change& change : list) frequencies.add(change.syscnt, change.value);
  }
  return frequencies;
}

}  // namespace npuprof::load
