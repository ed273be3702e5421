// Records a small program with several threads and prints how to look at the result:
//
//     record_ranges [DIRECTORY]

#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "npuprof/record.hpp"

namespace {

double busy_work(int rounds) {
  double sum = 0;
  for (int i = 1; i <= rounds; ++i) sum += std::sqrt(static_cast<double>(i));
  return sum;
}

void work(int worker) {
  const npuprof::Domain domain("worker");
  domain.mark(("worker " + std::to_string(worker) + " begins").c_str());
  for (int item = 0; item < 20; ++item) {
    NPUPROF_RANGE("item");
    {
      NPUPROF_RANGE("load");
      busy_work(20'000);
    }
    // A name made up at run time.
    const npuprof::TextRange compute("compute " + std::to_string(item));
    busy_work(100'000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  npuprof_options options;
  npuprof_options_init(&options);
  options.host_sys = NPUPROF_HOST_CPU | NPUPROF_HOST_MEMORY;
  npuprof::Session session(argc > 1 ? argv[1] : "results", &options, "example");
  session.metadata("program", "record_ranges");
  session.start();

  const npuprof::Counter progress("threads done");
  for (int step = 0; step < 3; ++step) {
    const npuprof::TextRange range("ProfilerStep#" + std::to_string(step));
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int worker = 0; worker < 4; ++worker) threads.emplace_back(work, worker);
    int done = 0;
    for (std::thread& thread : threads) {
      thread.join();
      progress.set(++done);
    }
  }

  const std::string directory = session.directory();
  npuprof_stats stats;
  const int code = session.finalize(&stats);
  std::printf("%llu events, %llu dropped\n", static_cast<unsigned long long>(stats.events_written),
              static_cast<unsigned long long>(stats.events_dropped));
  std::printf("Now: npuprof parse %s\n", directory.c_str());
  return code == NPUPROF_OK ? 0 : 1;
}
