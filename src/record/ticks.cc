#include "record/ticks.h"

#include <algorithm>
#include <limits>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>

#include "base/file.h"
#endif

namespace npuprof::record {
namespace {

#if defined(__x86_64__)
// The processor promises a constant rate, and the kernel does not distrust it: it strikes "tsc"
// from this list when cores disagree.
bool find_steady_counter() {
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariantBit = 1u << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(kPowerLeaf, &a, &b, &c, &d) == 0 || (d & kInvariantBit) == 0) return false;
  const auto sources =
      read_file("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  return !sources.ok() || std::string_view(*sources).find("tsc") != std::string_view::npos;
}
#elif defined(__aarch64__)
bool find_steady_counter() { return true; }
#else
bool find_steady_counter() { return false; }
#endif

constexpr int kTries = 8;

}  // namespace

bool has_steady_counter = false;

void choose_clock() {
  static const bool is_chosen = [] {
    has_steady_counter = find_steady_counter();
    return true;
  }();
  (void)is_chosen;
}

TickPair read_tick_pair() {
  choose_clock();
  TickPair best;
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kTries; ++i) {
#if defined(__x86_64__)
    _mm_lfence();  // Not before what this thread has read already.
#endif
    const std::uint64_t before = now_ticks();
    const std::int64_t monotonic_ns = clock_ns(CLOCK_MONOTONIC_RAW);
    const std::uint64_t after = now_ticks();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {before + (after - before) / 2, monotonic_ns};
  }
  if (!has_steady_counter) best.monotonic_ns = static_cast<std::int64_t>(best.ticks);
  return best;
}

std::int64_t read_wall_offset_ns() {
  std::int64_t offset = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t before = clock_ns(CLOCK_MONOTONIC_RAW);
    const std::int64_t wall = clock_ns(CLOCK_REALTIME);
    const std::int64_t after = clock_ns(CLOCK_MONOTONIC_RAW);
    if (after - before >= shortest) continue;
    shortest = after - before;
    offset = wall - (before + (after - before) / 2);
  }
  return offset;
}

void TickMap::add(TickPair pair) {
  if (!has_first_) {
    has_first_ = true;
    last_ = pair;
    return;
  }
  if (pair.ticks <= last_.ticks || pair.monotonic_ns <= last_.monotonic_ns) return;
  pieces_.push_back(Piece::between(last_, pair));
  last_ = pair;
  if (pieces_.size() > kMostPieces) thin_out();
}

// The rate is rounded up: the end comes out exactly, and nothing before it comes out later.
TickMap::Piece TickMap::Piece::between(TickPair begin, TickPair end) {
  const auto ns = static_cast<Int128>(end.monotonic_ns - begin.monotonic_ns) << kRateShift;
  const auto ticks = static_cast<Int128>(end.ticks - begin.ticks);
  return {begin, static_cast<std::uint64_t>((ns + ticks - 1) / ticks)};
}

const TickMap::Piece& TickMap::find(std::uint64_t ticks) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), ticks,
                       [](std::uint64_t t, const Piece& piece) { return t < piece.begin.ticks; });
  return after == pieces_.begin() ? *after : *(after - 1);
}

// Joins pieces of the older half in pairs.
void TickMap::thin_out() {
  std::vector<Piece> kept;
  const std::size_t half = pieces_.size() / 2;
  for (std::size_t i = 0; i + 1 < half; i += 2) {
    kept.push_back(Piece::between(pieces_[i].begin, pieces_[i + 2].begin));
  }
  kept.insert(kept.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(half / 2 * 2),
              pieces_.end());
  pieces_ = std::move(kept);
}

}  // namespace npuprof::record
