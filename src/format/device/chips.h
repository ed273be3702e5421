#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace npuprof::format::device {

// `platform_version` of info.json.<device>: which chip wrote a device directory. Numbers 6, 10 and
// 12 to 14 are not in use by any collector that writes these files.
enum class ChipId : std::uint8_t {
  k310 = 0,
  k910A = 1,
  k610 = 2,
  kLhisi = 3,
  k310P = 4,
  k910B = 5,  // And 910_93: it reports 5 as well.
  k310B = 7,
  kTiny = 8,
  kNano = 9,
  kMdcMiniV3 = 11,
  k910_95 = 15,
  k910_96 = 16,
};

// Chips that write the same files in the same layouts. The scheduler that logs tasks decides.
enum class ChipFamily : std::uint8_t {
  kTs,       // Task scheduler CPU: everything in ts_track.data, variable records.
  kHwts,     // Hardware task scheduler: hwts.data, counters in aicore.data.
  kStars,    // stars_soc.data (64 bytes), counters in ffts_profile.data (8 per record).
  kNano,     // nano_stars_profile.data holds times and counters.
  kStarsV6,  // stars_soc.data (32 bytes), counters in ffts_profile.data (10 per record).
};

struct Chip {
  ChipId id;
  ChipFamily family;
  std::string_view name;     // As the vendor's parsers call it, "CHIP_V4_1_0".
  std::string_view product;  // As people call it, "910B".
  // As databases of results call it (NPU_INFO), "Ascend910B"; empty if they have no name for it.
  std::string_view database_name;
  // Frequencies the collector assumes when it cannot ask the driver; 0 = none known.
  double system_counter_mhz;  // `hwts_frequency`: of every device time stamp.
  std::uint32_t ai_core_mhz;  // `aic_frequency`.
};

std::span<const Chip> all_chips();

// The chip of a `platform_version`; null for numbers no known collector writes.
const Chip* find_chip(std::int64_t platform_version);

// The chip that databases of results call so; null if none.
const Chip* find_chip_of_database(std::string_view name);

// The chip's entry; every ChipId has one.
const Chip& chip_of(ChipId id);

inline ChipFamily family_of(ChipId id) { return chip_of(id).family; }

// Whether the scheduler is in hardware and logs tasks into stars_soc.data.
constexpr bool has_stars(ChipFamily family) {
  return family == ChipFamily::kStars || family == ChipFamily::kStarsV6;
}

// Chips 15 and 16: task ids of 32 bits and no stream on the device, ten counters, 32-byte logs.
constexpr bool is_v6(ChipId id) { return id == ChipId::k910_95 || id == ChipId::k910_96; }

// Whether tasks of the chip are told by ids of 32 bits, which never repeat; else they have 16.
inline bool has_wide_task_ids(ChipId id) { return is_v6(id); }

// Whether tasks may be split into FFTS+ contexts.
inline bool has_contexts(ChipId id) { return !is_v6(id); }

// Whether cube and vector cores are different ones, each with counters of its own.
inline bool has_separate_cores(ChipId id) { return id == ChipId::k910B || is_v6(id); }

// Whether each change of the AI cores' clock is recorded, so that no record means no change.
inline bool logs_clock_changes(ChipId id) { return id == ChipId::k910B || id == ChipId::k310B; }

// Whether cycles become times by the clock at that time; else by the nominal one.
inline bool counts_by_changing_clock(ChipId id) { return id == ChipId::k910B; }

// Whether the counters of PCIe run on, so that the last record tells about the whole run.
inline bool adds_up_pcie_counters(ChipId id) { return id == ChipId::k910B; }

// Whether the scheduler's CPU notes (ts_track) when tasks on AI CPUs, or tasks of scheduling, run.
// The hardware's log may have the latter as well.
inline bool notes_ai_cpu_tasks(ChipId id) { return id == ChipId::k910A; }
inline bool notes_scheduling_tasks(ChipId id) { return id == ChipId::k310P; }

// Whether dvpp.data has the column dvpp_id.
inline bool has_dvpp_ids(ChipId id) { return id == ChipId::k910A || has_stars(family_of(id)); }

// Whether llc.data is text.
inline bool writes_llc_as_text(ChipId id) { return id == ChipId::k310; }

// Whether task ids that wrap are told apart by flip records, in the logs of the host and of the
// device. Old drivers write none.
bool writes_flips(ChipId id, std::uint64_t driver_version);

// The same of a `platform_version`; one that is not known counts as a chip like most.
bool has_wide_task_ids(std::int64_t platform_version);
bool has_contexts(std::int64_t platform_version);
bool writes_flips(std::int64_t platform_version, std::uint64_t driver_version);

// The last cube core among the cores that counters are sampled of; vector cores come after them.
constexpr std::uint8_t last_sampled_cube_core(ChipId id) {
  if (is_v6(id)) return 35;
  return id == ChipId::k910B ? 24 : 0;  // Chips 7, 8 and 11 have one.
}

// Number of PMU counters in one ffts_profile, aicore or sampled record.
inline std::size_t counters_per_record(ChipId id) { return is_v6(id) ? 10 : 8; }

}  // namespace npuprof::format::device
