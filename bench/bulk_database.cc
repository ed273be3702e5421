#include "report/sqlite/bulk_database.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/thread_pool.h"

namespace npuprof::report::sqlite {
namespace {

// The longest table of a profile, TASK_PMU_INFO: a row for each counter of each kernel.
constexpr std::size_t kCounters = 28;

// Ratios with three decimals, and times of some microseconds in nanoseconds; a third is 0.
std::vector<double> counter_values() {
  std::mt19937_64 random(1);
  std::vector<double> values(std::size_t{1} << 16);
  for (double& value : values) {
    const std::uint64_t kind = random() % 3;
    const auto number = static_cast<double>(random() % 100'000);
    value = kind == 0 ? 0.0 : kind == 1 ? number / 100'000 : number;
  }
  return values;
}

class FreshFile {
 public:
  FreshFile()
      : path_(std::filesystem::temp_directory_path() /
              ("npuprof_bench_" + std::to_string(::getpid()) + ".db")) {
    std::filesystem::remove(path_);
  }
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  ~FreshFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void count_rows(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0) *
                          static_cast<std::int64_t>(kCounters));
}

void write_pages(benchmark::State& state, unsigned workers) {
  const std::vector<double> values = counter_values();
  ThreadPool pool(workers);
  for (auto _ : state) {
    const FreshFile file;
    auto database = BulkDatabase::create(file.path(), pool).value();
    database.table(
        {"TASK_PMU_INFO", {{"globalTaskId", kI}, {"name", kI}, {"value", kN}}},
        static_cast<std::size_t>(state.range(0)),
        [&](RowSink& sink, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            for (std::size_t counter = 0; counter < kCounters; ++counter) {
              auto& row = sink.row();
              row.integer(static_cast<std::int64_t>(i));
              row.integer(static_cast<std::int64_t>(300 + counter));
              row.numeric(values[(i * kCounters + counter) % values.size()]);
              row.end_row();
            }
          }
        },
        kCounters);
    if (!database.close().ok()) state.SkipWithError("cannot write");
  }
  count_rows(state);
}
void bulk_database_one_thread(benchmark::State& state) { write_pages(state, 1); }
void bulk_database_all_threads(benchmark::State& state) { write_pages(state, 0); }

// One prepared statement in one transaction, with all that makes SQLite faster and is safe for a
// file that nobody else knows of.
void prepared_inserts(benchmark::State& state) {
  const std::vector<double> values = counter_values();
  for (auto _ : state) {
    const FreshFile file;
    sqlite3* database = nullptr;
    sqlite3_stmt* insert = nullptr;
    bool ok = sqlite3_open(file.path().c_str(), &database) == SQLITE_OK;
    const auto run = [&](const char* sql) {
      ok = ok && sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    };
    run("PRAGMA page_size=65536; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536;");
    run("BEGIN; CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER, name INTEGER, value NUMERIC);");
    ok = ok && sqlite3_prepare_v2(database, "INSERT INTO TASK_PMU_INFO VALUES (?, ?, ?)", -1,
                                  &insert, nullptr) == SQLITE_OK;
    for (std::int64_t i = 0; ok && i < state.range(0); ++i) {
      for (std::size_t counter = 0; counter < kCounters; ++counter) {
        sqlite3_bind_int64(insert, 1, i);
        sqlite3_bind_int64(insert, 2, static_cast<std::int64_t>(300 + counter));
        sqlite3_bind_double(
            insert, 3, values[(static_cast<std::size_t>(i) * kCounters + counter) % values.size()]);
        ok = ok && sqlite3_step(insert) == SQLITE_DONE;
        sqlite3_reset(insert);
      }
    }
    sqlite3_finalize(insert);
    run("COMMIT");
    sqlite3_close(database);
    if (!ok) state.SkipWithError("SQLite failed");
  }
  count_rows(state);
}
BENCHMARK(bulk_database_one_thread)->Arg(10'000)->Arg(100'000)->UseRealTime();
BENCHMARK(bulk_database_all_threads)->Arg(10'000)->Arg(100'000)->UseRealTime();
BENCHMARK(prepared_inserts)->Arg(10'000)->Arg(100'000)->UseRealTime();

}  // namespace
}  // namespace npuprof::report::sqlite
