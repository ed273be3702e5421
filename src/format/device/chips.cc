#include "format/device/chips.h"

#include <algorithm>
#include <array>

namespace npuprof::format::device {
namespace {

constexpr std::array kChips = {
    Chip{ChipId::k310, ChipFamily::kTs, "CHIP_V1_1_0", "310", "Ascend310", 19.2, 680},
    Chip{ChipId::k910A, ChipFamily::kHwts, "CHIP_V2_1_0", "910A", "Ascend910A", 100, 800},
    Chip{ChipId::k610, ChipFamily::kHwts, "CHIP_V3_1_0", "610", "", 38.4, 960},
    Chip{ChipId::kLhisi, ChipFamily::kHwts, "CHIP_V3_2_0", "lhisi", "", 24, 300},
    Chip{ChipId::k310P, ChipFamily::kHwts, "CHIP_V3_3_0", "310P", "Ascend310P", 38.4, 1150},
    Chip{ChipId::k910B, ChipFamily::kStars, "CHIP_V4_1_0", "910B", "Ascend910B", 50, 800},
    Chip{ChipId::k310B, ChipFamily::kStars, "CHIP_V1_1_1", "310B", "Ascend310B", 48, 1250},
    Chip{ChipId::kTiny, ChipFamily::kStars, "CHIP_V1_1_2", "tiny", "", 48, 1250},
    Chip{ChipId::kNano, ChipFamily::kNano, "CHIP_V5_1_0", "nano", "", 0, 0},
    Chip{ChipId::kMdcMiniV3, ChipFamily::kStars, "CHIP_V1_1_3", "mdc-mini-v3", "", 48, 1250},
    Chip{ChipId::k910_95, ChipFamily::kStarsV6, "CHIP_V6_1_0", "910_95", "Ascend950", 1000, 800},
    Chip{ChipId::k910_96, ChipFamily::kStarsV6, "CHIP_V6_2_0", "910_96", "", 1000, 1650},
};

}  // namespace

std::span<const Chip> all_chips() { return kChips; }

const Chip* find_chip(std::int64_t platform_version) {
  const auto found = std::find_if(kChips.begin(), kChips.end(), [&](const Chip& chip) {
    return static_cast<std::int64_t>(chip.id) == platform_version;
  });
  return found == kChips.end() ? nullptr : &*found;
}

const Chip* find_chip_of_database(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = std::find_if(kChips.begin(), kChips.end(),
                                  [&](const Chip& chip) { return chip.database_name == name; });
  return found == kChips.end() ? nullptr : &*found;
}

const Chip& chip_of(ChipId id) { return *find_chip(static_cast<std::int64_t>(id)); }

bool writes_flips(ChipId id, std::uint64_t driver_version) {
  constexpr std::uint64_t kFirstDriverWithFlips = 0x072211;
  switch (id) {
    case ChipId::k310:
    case ChipId::k610:
    case ChipId::kMdcMiniV3:
      return false;
    default:
      return !has_wide_task_ids(id) && driver_version >= kFirstDriverWithFlips;
  }
}

bool has_wide_task_ids(std::int64_t platform_version) {
  const Chip* chip = find_chip(platform_version);
  return chip != nullptr && has_wide_task_ids(chip->id);
}

bool has_contexts(std::int64_t platform_version) {
  const Chip* chip = find_chip(platform_version);
  return chip == nullptr || has_contexts(chip->id);
}

bool writes_flips(std::int64_t platform_version, std::uint64_t driver_version) {
  const Chip* chip = find_chip(platform_version);
  return writes_flips(chip == nullptr ? ChipId::k910B : chip->id, driver_version);
}

}  // namespace npuprof::format::device
