#include "base/string_pool.h"

#include <cstddef>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace npuprof {
namespace {

// Names as profiles have them: a long common beginning and a number.
std::vector<std::string> kernel_names(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    names.push_back("aclnnMatmul_MatMulV3Common_MatMulV3_" + std::to_string(i));
  return names;
}

void intern_known(benchmark::State& state) {
  const auto names = kernel_names(static_cast<std::size_t>(state.range(0)));
  StringPool pool;
  for (const std::string& name : names) pool.intern(name);
  for (auto _ : state) {
    for (const std::string& name : names) benchmark::DoNotOptimize(pool.intern(name));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(intern_known)->Arg(100)->Arg(10'000)->Arg(1'000'000);

void intern_new(benchmark::State& state) {
  const auto names = kernel_names(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    StringPool pool;
    for (const std::string& name : names) benchmark::DoNotOptimize(pool.intern(name));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(intern_new)->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace
}  // namespace npuprof
