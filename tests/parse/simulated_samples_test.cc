// Samples of a simulated run, from raw files to tables: as many rows as there are records.

#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "analyze/samples.h"
#include "base/file.h"
#include "base/text.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "report/sqlite/sqlite_query.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/linked/kernels.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::query;
using npuprof::testing::TemporaryDirectory;
using sim::JobOptions;

class SimulatedSamples : public ::testing::Test {
 protected:
  void SetUp() override {
    JobOptions job{.workload = sim::Workload::kTransformer,
                   .output = directory_ / "job",
                   .chip = *sim::find_chip("Ascend910_93"),
                   .steps = 20};
    job.transformer = {
        .layers = 2, .hidden = 1024, .heads = 8, .sequence = 1024, .vocabulary = 8192};
    job.collection.memory = true;
    job.collection.l2_cache = true;
    job.collection.sys_io = true;
    job.collection.sys_interconnection = true;
    job.ranks = 2;
    job.parallel.data = 2;
    ASSERT_TRUE(sim::run_job(job).ok());
    const auto found = load::discover(job.output);
    ASSERT_TRUE(found.ok()) << found.error().message;
    ThreadPool pool(2);
    trace::Losses losses;
    trace_ = load::load_profile(found->profiles.front(), pool, losses).value();
    EXPECT_TRUE(losses.empty());
    link::link_all(trace_, &pool);
    results_ = directory_ / "results";
    const report::ExportOptions options{.text = true, .database = true, .output = results_};
    ASSERT_TRUE(report::export_framework(trace_, options, pool).ok());
    for (const auto& entry : fs::recursive_directory_iterator(job.output)) {
      if (entry.path().filename() == "hbm.data.0.slice_0") raw_ = entry.path().parent_path();
    }
    ASSERT_FALSE(raw_.empty());
  }

  std::size_t raw_bytes(const std::string& base) const {
    return fs::file_size(raw_ / (base + ".0.slice_0"));
  }
  // Lines of a text file that begin with a digit: without the header.
  std::size_t raw_lines(const std::string& base) const {
    std::size_t count = 0;
    const std::string text = read_file(raw_ / (base + ".0.slice_0")).value();
    for (const std::string_view line : split(text, '\n')) {
      count += !line.empty() && line.front() >= '0' && line.front() <= '9' ? 1 : 0;
    }
    return count;
  }
  std::size_t rows(const std::string& table) const {
    const auto count =
        query(results_ / "ascend_pytorch_profiler_0.db", "SELECT count(*) FROM " + table);
    return count.empty() ? 0 : std::stoul(count.front());
  }
  std::size_t csv_rows(const std::string& name) const {
    const std::string text = read_file(results_ / name).value();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  }

  TemporaryDirectory directory_;
  trace::Trace trace_;
  fs::path raw_;
  fs::path results_;
};

TEST_F(SimulatedSamples, HaveARowForEachRecord) {
  EXPECT_GT(rows("HBM"), 8u);
  EXPECT_EQ(rows("HBM"), raw_bytes("hbm.data") / 24);
  EXPECT_EQ(rows("LLC"), raw_bytes("llc.data") / 24 / 8) << "eight events are one row";
  EXPECT_EQ(rows("NPU_MEM"), raw_bytes("npu_mem.data") / 32 + raw_bytes("npu_mem.app") / 32);
  EXPECT_EQ(rows("NPU_MODULE_MEM"), raw_bytes("npu_module_mem.data") / 24);
  EXPECT_EQ(rows("PCIE"), raw_bytes("pcie.data") / 96);
  EXPECT_EQ(rows("HCCS"), raw_lines("hccs.data") - 1) << "a rate needs two samples";
  EXPECT_EQ(rows("NIC"), raw_lines("nic.data"));
  EXPECT_EQ(rows("ROCE"), raw_lines("roce.data"));
  EXPECT_EQ(csv_rows("l2_cache.csv"), raw_bytes("l2_cache.data") / 72);
  EXPECT_EQ(csv_rows("l2_cache.csv"), trace_.kernels().size());
  EXPECT_EQ(csv_rows("nic.csv"), 1u);
}

TEST_F(SimulatedSamples, CacheAndMemoryTellOfTheSameTraffic) {
  // The simulator's last-level cache sees what is read from memory.
  const auto all = analyze::samples(trace_);
  double read_mb_s = 0;
  const analyze::Samples* hbm = analyze::find_samples(all, analyze::SampleKind::kHbm);
  ASSERT_NE(hbm, nullptr);
  for (std::size_t i = 0; i < hbm->size(); ++i) {
    const double rate = hbm->row(i)[0];
    if (hbm->labels[hbm->label[i]] == "Read" && rate > 0) read_mb_s += rate;
  }
  double cache_mb_s = 0;
  const analyze::Samples* llc = analyze::find_samples(all, analyze::SampleKind::kLlc);
  ASSERT_NE(llc, nullptr);
  for (std::size_t i = 0; i < llc->size(); ++i) {
    if (llc->row(i)[1] > 0) cache_mb_s += llc->row(i)[1];
  }
  EXPECT_GT(read_mb_s, 0);
  EXPECT_NEAR(cache_mb_s / read_mb_s, 1, 0.01);
}

}  // namespace
}  // namespace npuprof
