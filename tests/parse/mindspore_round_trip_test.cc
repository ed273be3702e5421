// Results of a profile of MindSpore are read again.

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "analyze/pipeline_operators.h"
#include "analyze/shared_results.h"
#include "base/thread_pool.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "load/mindspore/raw_mindspore.h"
#include "report/result_files.h"
#include "trace/framework/allocations.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/pool_totals.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"

namespace npuprof {
namespace {

using format::mindspore::OpRange;
using load::testing::RawBytes;
using load::testing::RawMindSpore;

class MindSporeRoundTrip : public ::testing::Test {
 protected:
  MindSporeRoundTrip() {
    RawBytes ranges;
    ranges.add(RawMindSpore::range(78, 0, 500, "Python", "PythonObserved", "ProfilerStep#5"));
    ranges.add(RawMindSpore::range(79, 100, 150, "Kernel", "KernelLaunch", "Default/MatMul-op0"));
    OpRange frame = RawMindSpore::range(78, 10, 20, "Default", "Default", "train.py(3):main");
    frame.fixed.is_stack = 1;
    ranges.add(frame);
    OpRange flow = RawMindSpore::range(78, 50, 51, "Default", "Default", "flow");
    flow.fixed.flow_id = 7;
    OpRange task = RawMindSpore::range(79, 60, 90, "PynativeFramework", "PyNativeBpropTask", "Add");
    task.fixed.flow_id = 7;
    OpRange batch = RawMindSpore::range(80, 15, 19, "Default", "Default", "WorkerProcess");
    batch.fixed.is_graph = 1;
    batch.module_text = format::mindspore::kDatasetModule;
    batch.event_text = "Batch";
    batch.custom_info = "batch_size:2;shape:4";
    ranges.add(flow).add(task).add(batch);
    raw_.put_framework(format::mindspore::kOpRangeFile, ranges.text());
    RawBytes blocks;
    blocks.add(RawMindSpore::block(100, 0x1000, 2048, 2048, "Default/MatMul-op0"));
    blocks.add(RawMindSpore::block(150, 0x1000, format::mindspore::kReleased, 0, ""));
    raw_.put_framework(format::mindspore::kMemoryUsageFile, blocks.text());
    raw_.put_framework("cpu_op_execute_timestamp_0.txt",
                       "Default/BiasAdd-op0;HostCpuOps;1700000000001200000,0.05,3 \n");
    raw_.put_framework("cpu_ms_memory_record_0.txt", "1700000000001100000,2048,1048576,2048\n");
    raw_.put_framework("pipeline_profiling_0.json",
                       R"({"op_info":[{"op_id":0,"op_type":"BatchOp","num_workers":1,"metrics":)"
                       R"({"output_queue":{"length":16,"size":[0,8]}}}],"sampling_interval":20})");
    format::mindspore::ProfilerInfo info;
    info.rank_id = 3;
    raw_.put_info(info);
  }

  trace::Trace read(const std::filesystem::path& path) {
    auto found = load::discover(path);
    EXPECT_TRUE(found.ok());
    trace::Losses losses;
    auto trace = load::load_profile(found->profiles.at(0), pool_, losses);
    EXPECT_TRUE(trace.ok());
    // Of CANN there are but the control files.
    if (path != raw_.path) {
      EXPECT_EQ(losses.items().size(), 0u);
    }
    link::link_all(*trace, &pool_);
    return std::move(trace).value();
  }
  trace::Trace written_and_read(bool as_database) {
    const trace::Trace first = read(raw_.path);
    const auto output = directory_ / "again_ascend_ms" / "ASCEND_PROFILER_OUTPUT";
    EXPECT_TRUE(make_directories(output.parent_path()).ok());
    const analyze::SharedResults results(first);
    EXPECT_TRUE(
        report::export_framework(
            results, {.text = !as_database, .database = as_database, .output = output}, pool_)
            .ok());
    return read(output.parent_path());
  }
  // Names with their times.
  static std::multimap<std::string, std::int64_t> rows_of(const trace::Trace& trace,
                                                          const auto& table) {
    std::multimap<std::string, std::int64_t> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
      rows.emplace(trace.strings.view(table.name[i]), table.end_ns[i] - table.start_ns[i]);
    }
    return rows;
  }
  static std::vector<std::string> flows_of(const trace::Trace& trace) {
    const auto& ops = trace.framework_ops();
    const auto& marks = trace.flow_marks();
    std::vector<std::string> flows;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      flows.push_back(std::string(trace.strings.view(ops.name.at(marks.from[i]))) + " > " +
                      std::string(trace.strings.view(ops.name.at(marks.to[i]))));
    }
    return flows;
  }
  // Of each operator its module, event, brief name and custom information.
  static std::multimap<std::string, std::int64_t> details_of(const trace::Trace& trace) {
    const auto& details = trace.mindspore_ops();
    std::multimap<std::string, std::int64_t> rows;
    for (std::size_t i = 0; i < details.size(); ++i) {
      std::string text;
      for (const auto* column :
           {&details.module, &details.event, &details.brief_name, &details.custom_info}) {
        text.append(trace.strings.view((*column)[i])).append("|");
      }
      rows.emplace(text, trace.framework_ops().start_ns.at(details.op[i]));
    }
    return rows;
  }
  static void expect_same_details(const trace::Trace& again, const trace::Trace& first) {
    EXPECT_EQ(details_of(again), details_of(first));
    EXPECT_EQ(details_of(first).count("Dataset|Batch|WorkerProcess|batch_size:2;shape:4|"), 1u);
  }
  void expect_same_framework(const trace::Trace& again) {
    const trace::Trace first = read(raw_.path);
    EXPECT_EQ(again.session.framework, trace::Framework::kMindSpore);
    EXPECT_EQ(rows_of(again, again.framework_ops()), rows_of(first, first.framework_ops()));
    EXPECT_EQ(rows_of(again, again.python_calls()), rows_of(first, first.python_calls()));
    EXPECT_EQ(rows_of(again, again.cpu_ops()), rows_of(first, first.cpu_ops()));
    expect_same_details(again, first);
    EXPECT_EQ(flows_of(first), (std::vector<std::string>{"Python::PythonObserved::ProfilerStep#5 > "
                                                         "PynativeFramework::PyNativeBpropTask::"
                                                         "Add"}));
    EXPECT_EQ(flows_of(again), flows_of(first));
    EXPECT_EQ(again.steps().id, first.steps().id);
    EXPECT_EQ(again.steps().host_end_ns, first.steps().host_end_ns);
    EXPECT_EQ(again.pool_totals().reserved_bytes, first.pool_totals().reserved_bytes);
    ASSERT_EQ(again.allocations().size(), 1u);
    EXPECT_EQ(again.strings.view(again.allocations().owner_name[0]), "Default/MatMul-op0");
    EXPECT_EQ(again.memory_events().size_bytes[again.allocations().malloc_event[0]], 2048);
  }

  RawMindSpore raw_;
  npuprof::testing::TemporaryDirectory directory_;
  ThreadPool pool_{2};
};

TEST_F(MindSporeRoundTrip, TheDatabaseHasTheFrameworkAndTheDataPipeline) {
  const trace::Trace again = written_and_read(true);
  expect_same_framework(again);
  const analyze::DataPipeline pipeline = analyze::data_pipeline(again);
  ASSERT_EQ(pipeline.operators.size(), 1u);
  EXPECT_EQ(pipeline.operators[0].label, "Batch(id=0)");
  EXPECT_EQ(pipeline.operators[0].queue_empty_percent, 50);
}

TEST_F(MindSporeRoundTrip, TablesMissEachOther) {
  for (const std::string table :
       {"MINDSPORE_API", "MINDDATA_OP", "MINDDATA_QUEUE", "MINDDATA_BATCH"}) {
    (void)written_and_read(true);
    const auto found = load::discover(directory_ / "again_ascend_ms");
    ASSERT_TRUE(found.ok());
    std::filesystem::path database;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
      if (entry.path().filename().native().starts_with("ascend_mindspore")) database = entry.path();
    }
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, ("DROP TABLE " + table).c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(handle);
    trace::Losses losses;
    EXPECT_TRUE(load::load_profile(found->profiles[0], pool_, losses).ok());
    ASSERT_EQ(losses.items().size(), 1u) << table;
    EXPECT_THAT(losses.items()[0].what, ::testing::HasSubstr(table));
  }
}

TEST_F(MindSporeRoundTrip, TablesAndTimelineHaveTheFramework) {
  expect_same_framework(written_and_read(false));
}

}  // namespace
}  // namespace npuprof
