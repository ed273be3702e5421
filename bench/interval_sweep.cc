#include "base/interval_sweep.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

namespace npuprof {
namespace {

// Kernels of several streams: in order of begin, many of them overlapping the next.
std::vector<Interval> kernel_intervals(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Interval> intervals(count);
  std::int64_t time_ns = 0;
  for (Interval& interval : intervals) {
    time_ns += static_cast<std::int64_t>(random() % 20'000);
    interval = {time_ns, time_ns + static_cast<std::int64_t>(random() % 20'000)};
  }
  return intervals;
}

// The time includes the copy of the list, which merge_intervals takes over.
void union_in_order(benchmark::State& state) {
  const auto intervals = kernel_intervals(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(merge_intervals(intervals));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(union_in_order)->Arg(10'000)->Arg(1'000'000);

void union_shuffled(benchmark::State& state) {
  auto intervals = kernel_intervals(static_cast<std::size_t>(state.range(0)));
  std::shuffle(intervals.begin(), intervals.end(), std::mt19937_64(2));
  for (auto _ : state) benchmark::DoNotOptimize(merge_intervals(intervals));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(union_shuffled)->Arg(10'000)->Arg(1'000'000);

void overlap_of_two_streams(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  auto all = kernel_intervals(2 * count);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
  const auto a = merge_intervals({all.begin(), middle});
  auto shifted = std::vector<Interval>(middle, all.end());
  const std::int64_t offset = shifted.front().begin;
  for (Interval& interval : shifted) interval = {interval.begin - offset, interval.end - offset};
  const auto b = merge_intervals(std::move(shifted));
  for (auto _ : state) benchmark::DoNotOptimize(overlap_length(a, b));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(a.size() + b.size()));
}
BENCHMARK(overlap_of_two_streams)->Arg(1'000'000);

}  // namespace
}  // namespace npuprof
