#include "format/device/l2_cache.h"

#include <algorithm>

namespace npuprof::format::device {
namespace {

constexpr std::uint16_t kCollected910A[] = {0x5b, 0x59, 0x5c, 0x7d, 0x7e, 0x71, 0x79, 0x7c};
constexpr SignedEvent kRequests910A[] = {{0x59, 1}};
constexpr SignedEvent kHits910A[] = {{0x5b, 1}};
constexpr SignedEvent kVictims910A[] = {{0x5c, 1}};

constexpr std::uint16_t kCollected310P[] = {0x78, 0x79, 0x77, 0x71, 0x6a, 0x6c, 0x74, 0x62};
constexpr SignedEvent kRequests310P[] = {{0x78, 1}, {0x79, 1}};
constexpr SignedEvent kHits310P[] = {{0x6a, 1}};
constexpr SignedEvent kVictims310P[] = {{0x71, 1}};

constexpr std::uint16_t kCollectedStars[] = {0xf6, 0xfb, 0xfc, 0xbf, 0x90, 0x91, 0x9c, 0x9d};
constexpr SignedEvent kRequestsStars[] = {{0xfb, 1}, {0xfc, 1}};
constexpr SignedEvent kHitsStars[] = {{0x90, 1}, {0x91, 1}};
constexpr SignedEvent kVictimsStars[] = {{0x9c, 1}};

constexpr std::uint16_t kCollectedV6[] = {0x00, 0x81, 0x82, 0x83, 0x74, 0x75};
constexpr SignedEvent kRequestsV6[] = {{0x00, 1}};
constexpr SignedEvent kHitsV6[] = {{0x00, 1},  {0x81, -1}, {0x82, -1},
                                   {0x83, -1}, {0x74, -1}, {0x75, -1}};
constexpr SignedEvent kVictimsV6[] = {{0x74, 1}, {0x75, 1}};

}  // namespace

L2Events l2_events(ChipId chip) {
  switch (family_of(chip)) {
    case ChipFamily::kTs:
    case ChipFamily::kNano:
      return {};
    case ChipFamily::kHwts:
      if (chip == ChipId::k910A) return {kCollected910A, kRequests910A, kHits910A, kVictims910A};
      return {kCollected310P, kRequests310P, kHits310P, kVictims310P};
    case ChipFamily::kStars:
      return {kCollectedStars, kRequestsStars, kHitsStars, kVictimsStars};
    case ChipFamily::kStarsV6:
      return {kCollectedV6, kRequestsV6, kHitsV6, kVictimsV6};
  }
  return {};
}

std::int64_t sum_events(std::span<const SignedEvent> wanted, std::span<const std::uint16_t> events,
                        std::span<const std::uint64_t> counters) {
  std::uint64_t sum = 0;  // Unsigned: damaged counters may wrap, which is not to be undefined.
  for (const SignedEvent& term : wanted) {
    const auto found = std::find(events.begin(), events.end(), term.event);
    const auto index = static_cast<std::size_t>(found - events.begin());
    if (index >= events.size() || index >= counters.size()) continue;
    sum += term.sign < 0 ? 0 - counters[index] : counters[index];
  }
  return static_cast<std::int64_t>(sum);
}

}  // namespace npuprof::format::device
