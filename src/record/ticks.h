#pragma once

// The clock of recorded events. Reading it must be cheap, so it is the counter of the processor
// where that runs evenly, and CLOCK_MONOTONIC_RAW otherwise. A TickMap turns ticks into nanoseconds
// of that clock.

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace npuprof::record {

__extension__ using Int128 = __int128;

inline std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Whether the processor has a counter of constant rate, the same on all cores. Found out by
// choose_clock(), which must be called before ticks are read; calling it again does nothing.
extern bool has_steady_counter;
void choose_clock();

inline std::uint64_t now_ticks() {
#if defined(__x86_64__)
  if (has_steady_counter) [[likely]]
    return __rdtsc();
#elif defined(__aarch64__)
  if (has_steady_counter) [[likely]] {
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
  }
#endif
  return static_cast<std::uint64_t>(clock_ns(CLOCK_MONOTONIC_RAW));
}

// The same moment on two clocks.
struct TickPair {
  std::uint64_t ticks = 0;
  std::int64_t monotonic_ns = 0;  // CLOCK_MONOTONIC_RAW.
};

// Reads both clocks several times and takes the closest readings.
TickPair read_tick_pair();

// Wall clock minus CLOCK_MONOTONIC_RAW, likewise.
std::int64_t read_wall_offset_ns();

// Ticks to nanoseconds, linear between pairs that were taken one after another. In integers: a
// result never changes when pairs are added later, and order of ticks is order of nanoseconds, so
// ranges that nest in ticks nest in nanoseconds.
class TickMap {
 public:
  // Later than all before; a pair that is not is ignored.
  void add(TickPair pair);

  // `ticks` not after the last pair. (Later ticks, and those before the first pair, are
  // extrapolated, with the rate of the nearest piece.)
  std::int64_t to_ns(std::uint64_t ticks) const {
    return pieces_.empty()
               ? static_cast<std::int64_t>(ticks)
               : (ticks >= pieces_.back().begin.ticks ? pieces_.back() : find(ticks)).to_ns(ticks);
  }

  // For tests: what it takes in memory.
  std::size_t piece_count() const { return pieces_.size(); }

 private:
  // A tick lasts rate / 2^kRateShift ns: enough bits for whole days, and for ticks of up to 256 ns.
  static constexpr int kRateShift = 56;
  struct Piece {
    TickPair begin;
    std::uint64_t rate = 0;

    static Piece between(TickPair begin, TickPair end);

    std::int64_t to_ns(std::uint64_t ticks) const {
      const auto passed = static_cast<std::int64_t>(ticks - begin.ticks);
      // Rounds down on both sides of the begin.
      return begin.monotonic_ns +
             static_cast<std::int64_t>((static_cast<Int128>(passed) * rate) >> kRateShift);
    }
  };

  const Piece& find(std::uint64_t ticks) const;
  void thin_out();

  // The writer adds a pair each time it looks at the buffers, so there are this many after some
  // minutes. Then those of long ago are thinned out: only ranges that began there notice, by some
  // nanoseconds.
  static constexpr std::size_t kMostPieces = 1 << 16;

  std::vector<Piece> pieces_;
  TickPair last_;
  bool has_first_ = false;
};

}  // namespace npuprof::record
