#pragma once

// Tables that are sorted by device.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace npuprof::link {

// The rows [first, second) of `device` in a column sorted by device.
inline std::pair<std::uint32_t, std::uint32_t> device_rows(std::span<const std::uint16_t> column,
                                                           std::uint16_t device) {
  const auto [first, last] = std::equal_range(column.begin(), column.end(), device);
  return {static_cast<std::uint32_t>(first - column.begin()),
          static_cast<std::uint32_t>(last - column.begin())};
}

// Each device number of a sorted column once.
inline std::vector<std::uint16_t> distinct_devices(std::span<const std::uint16_t> column) {
  std::vector<std::uint16_t> devices(column.begin(), column.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

}  // namespace npuprof::link
