// What an event costs the program that is recorded, beside what it costs at least and what others
// need.
//
// Each thread makes events in bursts and rests between them, so that the writer keeps up; only
// bursts are timed, with the CPU time of the thread. Ways take turns within one run, and the table
// has the median of all bursts.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "bench/record/lttng.h"
#include "npuprof/record.h"
#include "record/ticks.h"

namespace {

using npuprof::record::clock_ns;
using npuprof::record::now_ticks;

constexpr int kBurst = 40'000;
constexpr auto kRest = std::chrono::milliseconds(15);

// The least that a range can cost: two readings of the clock and one record of 32 bytes.
struct FloorRing {
  struct Record {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t number;
    std::uint64_t name;
  };
  static constexpr std::size_t kRecords = (std::size_t{8} << 20) / sizeof(Record);
  std::vector<Record> records = std::vector<Record>(kRecords);
  std::size_t next = 0;
};

// One burst of events of the calling thread.
struct Way {
  std::string name;
  std::function<void(FloorRing&)> burst;
  bool records = true;  // While a session records.
};

std::vector<Way> make_ways(bool with_lttng) {
  const npuprof_name name = npuprof_name_id("range");
  std::vector<Way> ways;
  ways.push_back({"floor: 2 time stamps, 32 bytes", [](FloorRing& ring) {
                    for (int i = 0; i < kBurst; ++i) {
                      const std::uint64_t begin = now_ticks();
                      asm volatile("" ::: "memory");
                      const std::uint64_t end = now_ticks();
                      ring.records[ring.next] = {begin, end, 0, 1};
                      ring.next = (ring.next + 1) % FloorRing::kRecords;
                      asm volatile("" ::: "memory");
                    }
                  }});
  ways.push_back({"range_begin, range_end", [name](FloorRing&) {
                    for (int i = 0; i < kBurst; ++i) {
                      const npuprof_begin_time begin = npuprof_range_begin();
                      npuprof_range_end(name, begin);
                    }
                  }});
  ways.push_back({"range_push_id, range_pop", [name](FloorRing&) {
                    for (int i = 0; i < kBurst; ++i) {
                      npuprof_range_push_id(name);
                      npuprof_range_pop();
                    }
                  }});
  ways.push_back({"range_push(text), range_pop", [](FloorRing&) {
                    for (int i = 0; i < kBurst; ++i) {
                      npuprof_range_push("aten::convolution_backward");
                      npuprof_range_pop();
                    }
                  }});
  ways.push_back({"mark_id", [name](FloorRing&) {
                    for (int i = 0; i < kBurst; ++i) npuprof_mark_id(name);
                  }});
  ways.push_back({"range_push_id, range_pop, not recording",
                  [name](FloorRing&) {
                    for (int i = 0; i < kBurst; ++i) {
                      npuprof_range_push_id(name);
                      npuprof_range_pop();
                    }
                  },
                  false});
  if (with_lttng) {
    ways.push_back({"LTTng-UST, 2 tracepoints", [](FloorRing&) { bench::lttng_ranges(kBurst); }});
  }
  return ways;
}

struct Measured {
  std::vector<double> ns_per_event;  // Of all bursts of all threads.

  double median() {
    const auto middle = ns_per_event.begin() + static_cast<std::ptrdiff_t>(ns_per_event.size() / 2);
    std::nth_element(ns_per_event.begin(), middle, ns_per_event.end());
    return *middle;
  }
};

// Runs `rounds` bursts of each way on `thread_count` threads at once.
std::vector<Measured> measure(const std::vector<Way>& ways, int thread_count, int rounds,
                              const std::function<void(bool)>& set_recording) {
  std::vector<std::vector<std::vector<double>>> times(
      static_cast<std::size_t>(thread_count), std::vector<std::vector<double>>(ways.size()));
  std::vector<FloorRing> rings(static_cast<std::size_t>(thread_count));
  for (int round = 0; round <= rounds; ++round) {  // The first one warms up.
    for (std::size_t way = 0; way < ways.size(); ++way) {
      set_recording(ways[way].records);
      std::atomic<int> arrived{0};
      std::vector<std::thread> threads;
      for (int thread = 0; thread < thread_count; ++thread) {
        const auto slot = static_cast<std::size_t>(thread);
        threads.emplace_back([&, slot] {
          ways[way].burst(rings[slot]);  // Buffers of the thread are made ready.
          std::this_thread::sleep_for(kRest);
          ++arrived;
          while (arrived < thread_count) std::this_thread::yield();
          const std::int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
          ways[way].burst(rings[slot]);
          const std::int64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID);
          if (round > 0) times[slot][way].push_back(static_cast<double>(end - begin) / kBurst);
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  }
  std::vector<Measured> results(ways.size());
  for (const auto& of_thread : times) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      auto& all = results[way].ns_per_event;
      all.insert(all.end(), of_thread[way].begin(), of_thread[way].end());
    }
  }
  return results;
}

// Switches between recording and not; keeps the sum of dropped events.
class Sessions {
 public:
  explicit Sessions(std::filesystem::path directory) : directory_(std::move(directory)) {}
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  ~Sessions() { set_recording(false); }

  void set_recording(bool wanted) {
    if (wanted == (session_ != nullptr)) return;
    if (wanted) {
      const auto path = directory_ / (std::to_string(number_++) + "_ascend_pt");
      session_ = npuprof_session_open_directory(path.c_str(), nullptr);
      npuprof_session_start(session_);
      return;
    }
    npuprof_stats stats;
    npuprof_session_finalize(session_, &stats);
    session_ = nullptr;
    written += stats.events_written;
    dropped += stats.events_dropped + stats.events_lost;
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::uint64_t written = 0;
  std::uint64_t dropped = 0;

 private:
  std::filesystem::path directory_;
  npuprof_session* session_ = nullptr;
  int number_ = 0;
};

int run(int argc, char** argv) {
  CLI::App app("What an event costs the program that is recorded");
  int rounds = 25;
  std::string directory = std::filesystem::temp_directory_path();
  app.add_option("--rounds", rounds, "Bursts of each way and of 8 threads")
      ->check(CLI::PositiveNumber);
  app.add_option("--out", directory, "Where to record to; removed again");
  CLI11_PARSE(app, argc, argv);

  npuprof::record::choose_clock();
  const bench::LttngSession lttng;
  if (!lttng.is_running()) fmt::print("LTTng-UST is left out: {}\n", lttng.reason());
  const std::vector<Way> ways = make_ways(lttng.is_running());
  constexpr std::array<int, 3> kThreadCounts = {1, 2, 8};
  std::vector<std::vector<Measured>> results;
  Sessions sessions(std::filesystem::path(directory) /
                    ("npuprof_bench_" + std::to_string(::getpid())));
  for (const int threads : kThreadCounts) {
    // About as many bursts, however many threads make them.
    const int rounds_here = rounds * std::max(4 / threads, 1);
    results.push_back(
        measure(ways, threads, rounds_here, [&](bool wanted) { sessions.set_recording(wanted); }));
  }
  sessions.set_recording(false);

  fmt::print("{:<42}{:>10}{:>8}{:>10}{:>8}{:>10}{:>8}\n", "ns of CPU time per event", "1 thread",
             "ratio", "2 threads", "ratio", "8 threads", "ratio");
  for (std::size_t way = 0; way < ways.size(); ++way) {
    fmt::print("{:<42}", ways[way].name);
    for (auto& of_count : results) {
      const double floor = of_count[0].median();
      fmt::print("{:>10.1f}{:>8.2f}", of_count[way].median(), of_count[way].median() / floor);
    }
    fmt::print("\n");
  }
  fmt::print("{} events written, {} dropped; clock: {}\n", sessions.written, sessions.dropped,
             npuprof::record::has_steady_counter ? "counter of the processor" : "clock_gettime");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_record: %s\n", error.what());
    return 3;
  }
}
