// What `npuprof view` costs on large profiles: how long until there are lanes, how long a picture
// of them takes at any zoom, a search, and memory. The profile is made here, in the model:
// operators, Python calls, calls of CANN, kernels on several streams.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include "analyze/shared_results.h"
#include "bench/measure.h"
#include "format/host/levels.h"
#include "serve/lane_search.h"
#include "serve/lane_statistics.h"
#include "serve/shown_profile.h"
#include "serve/slice_reply.h"
#include "trace/all_tables.h"

namespace npuprof::bench {
namespace {

constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;
constexpr std::uint32_t kPid = 4000;

// Names, as many as programs have.
std::vector<StringId> names_of(trace::Trace& trace, const char* prefix, std::size_t count) {
  std::vector<StringId> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(trace.strings.intern(fmt::format("{}{}", prefix, i)));
  }
  return names;
}

// Calls nested to a depth: starts and ends, outer ones first.
template <typename Table, typename Fill>
void add_nested(Table& table, std::size_t count, std::uint32_t tid, std::uint32_t depth,
                std::mt19937_64& random, const Fill& fill) {
  Table::columns(table, [&](const char*, auto& column) { column.reserve(count); });
  std::int64_t now = kBegin;
  std::vector<std::int64_t> open;
  for (std::size_t i = 0; i < count; ++i) {
    now += 200 + static_cast<std::int64_t>(random() % 2000);
    while (!open.empty() && open.back() <= now) open.pop_back();
    std::int64_t end = now + 300 + static_cast<std::int64_t>(random() % 100'000);
    if (!open.empty()) end = std::min(end, open.back());
    const bool is_leaf = open.size() == depth;
    if (!is_leaf) open.push_back(end);
    table.start_ns.push_back(now);
    table.end_ns.push_back(is_leaf ? std::min(now + 100, end) : end);
    table.tid.push_back(tid);
    fill(i);
  }
}

void add_python(trace::Trace& trace, std::size_t count, std::mt19937_64& random) {
  auto& calls = trace.python_calls();
  const auto names = names_of(trace, "module.py(12): function_", 3000);
  add_nested(calls, count, kPid, 24, random, [&](std::size_t i) {
    calls.name.push_back(names[random() % names.size()]);
    calls.id.push_back(static_cast<std::uint32_t>(i));
  });
  calls.pid.resize(count, kPid);
  calls.parent_id.resize(count);
  calls.module_id.resize(count, trace::kNone);
  calls.key.resize(count);
}

void add_operators(trace::Trace& trace, std::size_t count, std::mt19937_64& random) {
  auto& ops = trace.framework_ops();
  const auto names = names_of(trace, "aten::operator_", 300);
  add_nested(ops, count, kPid, 6, random,
             [&](std::size_t) { ops.name.push_back(names[random() % names.size()]); });
  trace::FrameworkOps::columns(ops, [&](const char*, auto& column) { column.resize(count); });
  std::fill(ops.pid.begin(), ops.pid.end(), kPid);
}

void add_calls(trace::Trace& trace, std::size_t count, std::mt19937_64& random) {
  auto& calls = trace.api_calls();
  const auto names = names_of(trace, "aclnnCall", 200);
  add_nested(calls, count, kPid + 1, 3, random,
             [&](std::size_t) { calls.name.push_back(names[random() % names.size()]); });
  trace::ApiCalls::columns(calls, [&](const char*, auto& column) { column.resize(count); });
  std::fill(calls.level.begin(), calls.level.end(), format::host::kLevelNode);
}

void add_kernels(trace::Trace& trace, std::size_t count, std::mt19937_64& random) {
  auto& tasks = trace.tasks();
  auto& kernels = trace.kernels();
  trace::Tasks::columns(tasks, [&](const char*, auto& column) { column.reserve(count); });
  trace::Kernels::columns(kernels, [&](const char*, auto& column) { column.reserve(count); });
  const auto names = names_of(trace, "MatMulV2_", 500);
  std::array<std::int64_t, 4> now;
  now.fill(kBegin);
  for (std::size_t i = 0; i < count; ++i) {
    const auto stream =
        static_cast<std::uint16_t>(std::min_element(now.begin(), now.end()) - now.begin());
    now[stream] += static_cast<std::int64_t>(random() % 3000);
    tasks.start_ns.push_back(now[stream]);
    now[stream] += 1000 + static_cast<std::int64_t>(random() % 40'000);
    tasks.end_ns.push_back(now[stream]);
    tasks.stream.push_back(stream);
    kernels.name.push_back(names[random() % names.size()]);
  }
  trace::Tasks::columns(tasks, [&](const char*, auto& column) { column.resize(count); });
  trace::Kernels::columns(kernels, [&](const char*, auto& column) { column.resize(count); });
  for (std::uint32_t i = 0; i < count; ++i) {
    tasks.kernel[i] = i;
    tasks.api[i] = trace::kNone;
    tasks.copy_direction[i] = trace::kNone;
    kernels.task[i] = i;
    kernels.pmu[i] = trace::kNone;
    kernels.slave_pmu[i] = trace::kNone;
  }
}

struct MadeProfile {
  trace::Trace trace;
  std::unique_ptr<analyze::SharedResults> results;
};

std::shared_ptr<MadeProfile> make_profile(std::size_t events) {
  auto made = std::make_shared<MadeProfile>();
  std::mt19937_64 random(7);
  trace::Trace& trace = made->trace;
  trace.session.begin_ns = kBegin;
  trace.session.pid = kPid;
  trace.session.origin = trace::Origin::kResults;
  trace.devices.push_back({.id = 0, .chip = 5});
  add_python(trace, events * 6 / 10, random);
  add_operators(trace, events * 2 / 10, random);
  add_calls(trace, events / 10, random);
  add_kernels(trace, events / 10, random);
  made->results = std::make_unique<analyze::SharedResults>(trace);
  return made;
}

double resident_mb() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  long all = 0;
  long resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

// Milliseconds of CPU that requests of the page take, zooming and panning at random.
void measure_pictures(const serve::LaneIndex& index, std::size_t requests) {
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t i = 0; i < index.size(); ++i) lanes.push_back(i);
  std::mt19937_64 random(11);
  std::vector<double> times;
  std::size_t bytes = 0;
  std::size_t most_bytes = 0;
  const auto length = static_cast<double>(index.span().end_ns);
  for (std::size_t i = 0; i < requests; ++i) {
    // Each zoom from all of it to a microsecond is as probable.
    const double zoom = std::pow(length / 1000, static_cast<double>(random() % 1000) / 1000);
    const auto span = static_cast<std::int64_t>(length / zoom);
    const auto begin = static_cast<std::int64_t>(static_cast<double>(random() % 1'000'000) / 1e6 *
                                                 (length - static_cast<double>(span)));
    const Stopwatch watch;
    const std::string reply =
        serve::slices_reply(index, {.span = {begin, begin + span + 1}, .pixels = 1920}, lanes);
    times.push_back(watch.cpu_s() * 1e3);
    bytes += reply.size();
    most_bytes = std::max(most_bytes, reply.size());
  }
  fmt::print(
      "  lane requests       p50 {:.2f} ms  p95 {:.2f} ms  max {:.2f} ms CPU; {:.0f} KB, at "
      "most {:.0f} KB\n",
      quantile(times, 0.5), quantile(times, 0.95), quantile(times, 1),
      static_cast<double>(bytes) / static_cast<double>(requests) / 1e3,
      static_cast<double>(most_bytes) / 1e3);
}

void measure_search(const serve::LaneIndex& index) {
  const Stopwatch first;
  const auto search = serve::LaneSearch::run(index, {.text = "function_77"});
  const double search_ms = first.cpu_s() * 1e3;
  if (!search.ok() || search->count() == 0) return;
  std::vector<double> times;
  std::mt19937_64 random(13);
  for (int i = 0; i < 200; ++i) {
    const Stopwatch watch;
    (void)search->hit(random() % search->count());
    times.push_back(watch.cpu_s() * 1e3);
  }
  fmt::print("  search              {:.1f} ms CPU for {} hits; the k-th hit p95 {:.2f} ms\n",
             search_ms, search->count(), quantile(times, 0.95));
}

void measure_range(const serve::LaneIndex& index) {
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t i = 0; i < index.size(); ++i) lanes.push_back(i);
  const Stopwatch watch;
  const auto statistics = serve::range_statistics(index, index.span(), lanes);
  fmt::print("  sums of everything  {:.0f} ms CPU for {} slices\n", watch.cpu_s() * 1e3,
             statistics.all.count);
}

void measure(std::size_t events) {
  fmt::print("{} events\n", events);
  ::malloc_trim(0);
  const double program_mb = resident_mb();
  const auto made = make_profile(events);
  const double model_mb = resident_mb() - program_mb;
  const Stopwatch watch;
  const serve::LaneIndex index(answers::Request{.trace = made->trace, .results = *made->results});
  const double load_s = watch.wall_s();
  const Stopwatch picture;
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t i = 0; i < index.size(); ++i) lanes.push_back(i);
  (void)serve::slices_reply(index, {.span = {0, index.span().end_ns + 1}, .pixels = 1920}, lanes);
  std::size_t rows = 0;
  for (const report::Lane& lane : index.lanes()) rows += lane.rows();
  fmt::print("  {} lanes with {} rows\n", index.lanes().size(), rows);
  fmt::print("  lanes made in       {:.2f} s ({:.2f} s CPU); first picture {:.2f} ms\n", load_s,
             watch.cpu_s(), picture.cpu_s() * 1e3);
  measure_pictures(index, 1000);
  measure_search(index);
  measure_range(index);
  ::malloc_trim(0);
  const double all_mb = resident_mb() - program_mb;
  std::size_t pyramids = 0;
  for (std::uint32_t i = 0; i < index.lanes().size(); ++i) {
    pyramids += index.pyramid(i).memory_bytes();
  }
  const auto count = static_cast<double>(events);
  fmt::print(
      "  memory              {:.0f} MB: {:.1f} bytes an event, of which the model {:.1f}, "
      "pyramids {:.1f}; {:.0f} MB more for the program\n",
      all_mb, all_mb * 1e6 / count, model_mb * 1e6 / count, static_cast<double>(pyramids) / count,
      program_mb);
}

}  // namespace
}  // namespace npuprof::bench

int main(int argc, char** argv) {
  CLI::App app("What npuprof view costs on large profiles");
  std::vector<std::size_t> events = {1'000'000};
  app.add_option("--events", events, "How many events; several numbers are measured in turn");
  CLI11_PARSE(app, argc, argv);
  for (const std::size_t count : events) npuprof::bench::measure(count);
  return 0;
}
