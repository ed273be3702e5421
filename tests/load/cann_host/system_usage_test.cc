#include "load/cann_host/system_usage.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/host/proc_blocks.h"
#include "load/cann_host/host_directory.h"
#include "trace/machine/cpu_kind.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostDirectory;
using ::testing::IsEmpty;

class SystemUsageTest : public ::testing::Test, protected HostDirectory {
 protected:
  static std::string block(std::uint64_t time_ns, std::string_view body) {
    std::string text;
    format::host::append_proc_block(text, {.time_ns = time_ns, .index = 0, .body = body});
    return text;
  }
  static std::int64_t wall(std::int64_t monotonic_ns) {
    return kBeginNs - kMonotonicNs + monotonic_ns;
  }
};

TEST_F(SystemUsageTest, AllCpusOfTheHostTogether) {
  write("host/data/host_sys_cpu.data.slice_0",
        block(1000, "cpu  10 1 20 60 5 2 1 1 0 0\ncpu0 9 9 9 9 9 9 9 9 9 9"));
  write("host/data/host_sys_mem.data.slice_0",
        block(1000,
              "MemTotal: 9 kB\nMemFree: 8 kB\nBuffers: 7 kB\nCached: 6 kB\nShmem: 5 kB\n"
              "CommitLimit: 4 kB\nCommitted_AS: 3 kB\n"));
  finish_and_load();
  EXPECT_THAT(trace.system_cpu_times().device, ElementsAre(trace::kHostDevice));
  EXPECT_THAT(trace.system_cpu_times().cpu_kind,
              ElementsAre(static_cast<int>(trace::CpuKind::kHost)));
  EXPECT_THAT(trace.system_cpu_times().user, ElementsAre(10));
  EXPECT_THAT(trace.system_cpu_times().total, ElementsAre(100));
  EXPECT_THAT(trace.system_cpu_times().time_ns, ElementsAre(wall(1000)));
  EXPECT_THAT(trace.system_memory().free_kb, ElementsAre(8));
  EXPECT_THAT(all_losses(), IsEmpty());
}

TEST_F(SystemUsageTest, ProcessesAndTheirDamage) {
  const std::string stat = "7 (a b) S 1 1 1 0 -1 0 0 0 0 0 5 6 7 8 20 0 1 0\n";
  write("host/data/7-CpuUsage.data.slice_0",
        block(1000, stat + "ProcessName:a b\ncpu  10 0 0 90 0 0 0 0 0 0") + block(2000, "gone") +
            block(3000, stat + "ProcessName:a b\ncpu  20 0 0 90 0 0 0 0 0 0"));
  write("host/data/7-Memory.data.slice_0", block(1000, "100 20 3 0 0 0 0\nProcessName:a b"));
  finish_and_load();
  EXPECT_THAT(trace.process_cpu_times().pid, ElementsAre(7, 7));
  EXPECT_THAT(trace.process_cpu_times().machine, ElementsAre(100, 110));
  EXPECT_EQ(text(trace.process_cpu_times().name[1]), "a b");
  EXPECT_THAT(trace.process_memory().size_pages, ElementsAre(100));
  EXPECT_EQ(text(trace.process_memory().name[0]), "a b");
  EXPECT_THAT(all_losses(), HasSubstr("7-CpuUsage.data.slice_0 @0 (1): 1 samples or lines"));
}

}  // namespace
}  // namespace npuprof::load
