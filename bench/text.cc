#include "base/text.h"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

namespace npuprof {
namespace {

constexpr std::size_t kNumbers = 4096;

// Numbers of up to 18 digits, each length about equally often.
std::vector<std::int64_t> numbers_of_all_lengths() {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> numbers(kNumbers);
  for (std::int64_t& number : numbers) {
    std::uint64_t limit = 10;
    for (std::uint64_t digits = random() % 18; digits > 0; --digits) limit *= 10;
    number = static_cast<std::int64_t>(random() % limit);
  }
  return numbers;
}

template <typename Write>
void measure(benchmark::State& state, Write write) {
  const auto numbers = numbers_of_all_lengths();
  char buffer[64];
  for (auto _ : state) {
    for (const std::int64_t number : numbers) {
      benchmark::DoNotOptimize(write(buffer, number));
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumbers));
}

void number_write_unsigned(benchmark::State& state) {
  measure(state, [](char* out, std::int64_t value) {
    return write_unsigned(out, static_cast<std::uint64_t>(value));
  });
}
BENCHMARK(number_write_unsigned);

// The standard library's way to do the same.
void number_to_chars(benchmark::State& state) {
  measure(state, [](char* out, std::int64_t value) {
    return std::to_chars(out, out + kMaxIntegerChars, static_cast<std::uint64_t>(value)).ptr;
  });
}
BENCHMARK(number_to_chars);

void microseconds_write_scaled(benchmark::State& state) {
  measure(state, [](char* out, std::int64_t value) { return write_scaled<3>(out, value); });
}
BENCHMARK(microseconds_write_scaled);

// The usual way to do the same, which also loses digits above 2^53 ns.
void microseconds_snprintf(benchmark::State& state) {
  measure(state, [](char* out, std::int64_t value) {
    return out + std::snprintf(out, 64, "%.3f", static_cast<double>(value) / 1e3);
  });
}
BENCHMARK(microseconds_snprintf);

}  // namespace
}  // namespace npuprof
