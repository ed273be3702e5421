// Results of MindSpore: links, steps, memory and the data pipeline, by vectors that its own
// analysis was seen to write.

#include <initializer_list>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "analyze/mindspore_marks.h"
#include "analyze/shared_results.h"
#include "base/file.h"
#include "base/thread_pool.h"
#include "link/framework/framework_steps.h"
#include "link/framework/memory_owner.h"
#include "link/framework/mindspore_links.h"
#include "link/framework/op_tree.h"
#include "link/framework/task_origins.h"
#include "report/csv/mindspore_csv.h"
#include "report/result_files.h"
#include "report/timeline/mindspore_layers.h"
#include "temporary_directory.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/memory_labels.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/pipeline_ops.h"
#include "trace/framework/pool_totals.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using trace::kNone;

constexpr std::int64_t kZero = 1'700'000'000'001'000'000;
constexpr std::int64_t ns(std::int64_t us) { return kZero + us * 1000; }

// Times are microseconds from kZero.
class MindSporeTrace {
 public:
  MindSporeTrace() {
    trace.session.framework = trace::Framework::kMindSpore;
    trace.session.level = trace::Level::kLevel1;
    trace.session.rank = 0;
    trace.session.pid = 77;
    trace::DeviceInfo device;
    device.chip = 5;
    trace.devices.push_back(device);
  }

  void add_op(std::uint32_t tid, std::int64_t start, std::int64_t end, std::string_view name,
              std::string_view module = "", std::string_view event = "",
              std::string_view brief = "", std::string_view custom = "") {
    auto& ops = trace.framework_ops();
    auto& details = trace.mindspore_ops();
    const std::size_t row = ops.size();
    resize_rows(ops, row + 1);
    resize_rows(details, row + 1);
    ops.start_ns[row] = ns(start);
    ops.end_ns[row] = ns(end);
    ops.tid[row] = tid;
    ops.pid[row] = 77;
    ops.name[row] = trace.strings.intern(name);
    ops.parent[row] = kNone;
    details.op[row] = static_cast<std::uint32_t>(row);
    details.flow[row] = ~std::uint64_t{0};
    details.module[row] = trace.strings.intern(module);
    details.event[row] = trace.strings.intern(event);
    details.brief_name[row] = trace.strings.intern(brief);
    details.custom_info[row] = trace.strings.intern(custom);
  }
  void add_kernel(std::int64_t start, std::int64_t duration, std::string_view name,
                  std::int64_t launch, std::uint32_t tid) {
    auto& tasks = trace.tasks();
    auto& kernels = trace.kernels();
    const auto row = static_cast<std::uint32_t>(tasks.size());
    resize_rows(tasks, row + 1);
    resize_rows(kernels, row + 1);
    tasks.start_ns[row] = ns(start);
    tasks.end_ns[row] = ns(start + duration);
    tasks.task[row] = row;
    tasks.context[row] = kNone;
    tasks.launch_ns[row] = ns(launch);
    tasks.tid[row] = tid;
    tasks.kernel[row] = row;
    tasks.copy_direction[row] = kNone;
    kernels.task[row] = row;
    kernels.name[row] = trace.strings.intern(name);
    kernels.op_type[row] = trace.strings.intern("MatMul");
    kernels.task_type[row] = trace.strings.intern("AI_CORE");
    kernels.hf32[row] = 2;
  }
  void add_collective(std::int64_t start, std::int64_t duration, std::string_view name) {
    auto& ops = trace.collective_ops();
    const std::size_t row = ops.size();
    resize_rows(ops, row + 1);
    ops.start_ns[row] = ns(start);
    ops.end_ns[row] = ns(start + duration);
    ops.name[row] = trace.strings.intern(name);
    ops.data_type[row] = kNone;
  }
  void add_overlap(trace::OverlapKind kind, std::int64_t start, std::int64_t duration) {
    auto& intervals = trace.overlap_intervals();
    intervals.start_ns.push_back(ns(start));
    intervals.end_ns.push_back(ns(start + duration));
    intervals.device.push_back(0);
    intervals.kind.push_back(static_cast<std::uint8_t>(kind));
  }

  void link() {
    const link::ThreadOrder rows = link::ops_by_thread(trace.framework_ops());
    link::link_op_tree(trace, rows);
    link::link_allocations(trace);
    link::link_memory_labels(trace);
    const auto origins = link::find_task_origins(trace, rows);
    link::link_kernel_ops(trace, origins);
    link::link_steps(trace, origins);
  }

  trace::Trace trace;
};

void add_device_work(MindSporeTrace& made) {
  using trace::OverlapKind;
  made.add_kernel(200, 80, "MatMul_k", 120, 79);
  made.add_kernel(700, 50, "Add_k", 610, 79);
  made.add_kernel(1200, 5, "Orphan_k", 1150, 79);
  made.add_collective(250, 100, "hcom_allReduce__123_0_1");
  made.add_collective(800, 40, "hcom_receive__123_1_1");
  made.add_overlap(OverlapKind::kComputing, 200, 80);
  made.add_overlap(OverlapKind::kComputing, 700, 50);
  made.add_overlap(OverlapKind::kCommunication, 250, 100);
  made.add_overlap(OverlapKind::kCommunication, 800, 40);
  made.add_overlap(OverlapKind::kNotOverlapped, 280, 70);
  made.add_overlap(OverlapKind::kNotOverlapped, 800, 40);
  made.add_overlap(OverlapKind::kFree, 350, 350);
  made.add_overlap(OverlapKind::kFree, 750, 50);
}

MindSporeTrace two_steps() {
  MindSporeTrace made;
  made.add_op(78, 0, 500, "Python::PythonObserved::ProfilerStep#5");
  made.add_op(78, 500, 1000, "Python::PythonObserved::ProfilerStep#6");
  made.add_op(79, 100, 150, "Kernel::KernelLaunch::Default/fc-Dense/MatMul-op0");
  made.add_op(79, 600, 640, "PynativeFramework::PyNativeLaunchTask::Add");
  add_device_work(made);
  made.link();
  return made;
}

class Results {
 public:
  explicit Results(const trace::Trace& trace) {
    ThreadPool pool(2);
    const analyze::SharedResults results(trace);
    const auto path = directory_ / "out";
    const Status status = export_framework(results, {.text = true, .output = path}, pool);
    EXPECT_TRUE(status.ok());
  }
  std::string read(std::string_view name) const {
    const auto text = read_file(directory_ / "out" / name);
    return text.ok() ? *text : "";
  }

 private:
  npuprof::testing::TemporaryDirectory directory_;
};

TEST(MindSporeResults, KernelsHaveTheStepAndTheNameOfTheirLaunch) {
  const MindSporeTrace made = two_steps();
  const std::string text = Results(made.trace).read("kernel_details.csv");
  EXPECT_THAT(text, StartsWith("Step ID,Model ID,Task ID,Stream ID,Name,Type,OP State,"
                               "Accelerator Core,Start Time(us),Duration(us),"));
  EXPECT_THAT(text, HasSubstr("\r\n5,0,0,0,Kernel::KernelLaunch::Default/fc-Dense/MatMul-op0/"
                              "MatMul_k,MatMul,"));
  EXPECT_THAT(text, HasSubstr("\r\n6,0,1,0,PynativeFramework::PyNativeLaunchTask::Add/Add_k,"));
  EXPECT_THAT(text, HasSubstr("\r\n6,0,2,0,Orphan_k,"));
}

TEST(MindSporeResults, WithoutAScheduleKernelsHaveNoStep) {
  MindSporeTrace made = two_steps();
  made.trace.session.profiler_info = R"({"profiler_parameters": {"is_set_schedule": false}})";
  EXPECT_THAT(Results(made.trace).read("kernel_details.csv"), StartsWith("Model ID,"));
}

TEST(MindSporeResults, Level0LeavesOutWhatIsNotKnown) {
  MindSporeTrace made = two_steps();
  made.trace.session.level = trace::Level::kLevel0;
  const std::string text = Results(made.trace).read("kernel_details.csv");
  EXPECT_THAT(text, HasSubstr("Wait Time(us),Block Num"));
  EXPECT_THAT(text, Not(HasSubstr("Input Shapes")));
  EXPECT_THAT(text, Not(HasSubstr("Context ID")));
}

TEST(MindSporeResults, StepsAreThoseOfTheHost) {
  const MindSporeTrace made = two_steps();
  const std::string text = Results(made.trace).read("step_trace_time.csv");
  EXPECT_THAT(text,
              StartsWith("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,"
                         "Free,Stage,Bubble,Communication(Not Overlapped and Exclude Receive),"
                         "Preparing\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\n5,80.000,70.000,30.000,100.000,150.000,100.000,0.000,70.000,"
                              "200.000\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\n6,50.000,40.000,0.000,40.000,250.000,0.000,40.000,0.000,"
                              "200.000\r\n"));
}

TEST(MindSporeResults, WithoutAHostAllIsOneStep) {
  MindSporeTrace made;
  add_device_work(made);
  made.link();
  EXPECT_THAT(Results(made.trace).read("step_trace_time.csv"),
              HasSubstr("\r\n0,130.000,110.000,30.000,140.000,400.000,550.000,40.000,70.000,"
                        "0.000\r\n"));
}

TEST(MindSporeResults, TheTimelineHasTheLayersOfMindSpore) {
  MindSporeTrace made = two_steps();
  auto& cpu = made.trace.cpu_ops();
  cpu.start_ns.push_back(ns(10));
  cpu.end_ns.push_back(ns(20));
  cpu.tid.push_back(3);
  cpu.name.push_back(made.trace.strings.intern("BiasAdd"));
  const std::string text = Results(made.trace).read("trace_view.json");
  EXPECT_THAT(text, HasSubstr(R"("name":"MindSpore")"));
  EXPECT_THAT(text, HasSubstr(R"("name":"CPU OP")"));
  EXPECT_THAT(text, HasSubstr(R"("name":"Scope Layer")"));
  EXPECT_THAT(text, HasSubstr(R"("type":"HostCpuOps")"));
  EXPECT_THAT(text, HasSubstr(R"("name":"mindspore_to_npu")"));
  EXPECT_THAT(text, HasSubstr(R"("mindspore_op":"PynativeFramework::PyNativeLaunchTask::Add")"));
  EXPECT_THAT(text, Not(HasSubstr("torch_to_npu")));
}

void add_mark(trace::Trace& trace, std::uint32_t tid, std::int64_t start, std::int64_t end) {
  auto& marks = trace.marks();
  const std::size_t row = marks.size();
  resize_rows(marks, row + 1);
  marks.start_ns[row] = ns(start);
  marks.end_ns[row] = ns(end);
  marks.tid[row] = tid;
  marks.is_mstx[row] = 1;
  marks.message[row] = trace.strings.intern("mark of " + std::to_string(tid));
}

TEST(MindSporeResults, MarksAreJoinedWithTheRecordOfTheFrameworkAroundTheirBegin) {
  MindSporeTrace made = two_steps();
  made.add_op(78, 20, 40, "Ascend::Mstx::Range", "Ascend", "Mstx", "Range");
  made.add_op(78, 60, 70, "Ascend::Mstx::Mark", "Ascend", "Mstx", "Mark");
  add_mark(made.trace, 78, 30, 90);
  add_mark(made.trace, 78, 50, 50);  // Between the two.
  add_mark(made.trace, 79, 65, 65);  // On another thread.
  const std::string text = Results(made.trace).read("trace_view.json");
  EXPECT_THAT(text,
              HasSubstr(R"({"name":"mindspore_to_mstx","pid":1,"tid":78,"ph":"s","cat":"MsTx",)"
                        R"("ts":"1700000000001020.000","bp":"e","id":)"));
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = text.find("mindspore_to_mstx", at)) != text.npos; ++at) ++ends;
  EXPECT_EQ(ends, 2u);
  EXPECT_THAT(analyze::mindspore_marks(made.trace), ::testing::ElementsAre(4, kNone, kNone));
}

TEST(MindSporeResults, ScopesSpanTheirKernels) {
  const MindSporeTrace made = two_steps();
  const TimelineContext context(made.trace, {});
  const std::vector<ScopeSlice> slices = scope_slices(context);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0].name, "Default");
  EXPECT_EQ(slices[1].name, "fc-Dense");
  for (const ScopeSlice& slice : slices) {
    EXPECT_EQ(slice.start_ns, ns(200));
    EXPECT_EQ(slice.end_ns, ns(280));
  }
}

void add_memory(trace::Trace& trace, std::int64_t time, bool is_release, std::int64_t size,
                std::int64_t used, std::string_view owner) {
  auto& events = trace.memory_events();
  auto& labels = trace.memory_labels();
  const std::size_t row = events.size();
  resize_rows(events, row + 1);
  resize_rows(labels, row + 1);
  events.time_ns[row] = ns(time);
  events.address[row] = 0x1000;
  events.size_bytes[row] = is_release ? -size : size;
  events.total_allocated_bytes[row] = used;
  events.total_reserved_bytes[row] = 1 << 30;
  events.total_active_bytes[row] = used;
  events.stream[row] = 43520;
  events.device_type[row] = 20;
  events.kind[row] = is_release ? 1 : 0;
  events.owner[row] = kNone;
  labels.event[row] = static_cast<std::uint32_t>(row);
  labels.owner[row] = trace.strings.intern(owner);
}

TEST(MindSporeResults, BlocksOfMemoryHaveTheirOwner) {
  MindSporeTrace made;
  add_memory(made.trace, 100, false, 2048, 2048, "Default/fc-Dense/MatMul-op0");
  add_memory(made.trace, 150, true, 2048, 0, "");
  add_memory(made.trace, 160, false, 512, 512, "Add");
  made.link();
  const std::string text = Results(made.trace).read("operator_memory.csv");
  EXPECT_THAT(text, HasSubstr("Default/fc-Dense/MatMul-op0,2.0,1700000000001100.0,"
                              "1700000000001150.0,N/A,50.0,N/A,0.001953125,1024.0,0.001953125,0.0,"
                              "1024.0,0.0,43520,NPU:0\r\n"));
  EXPECT_THAT(text, HasSubstr("Add,0.5,1700000000001160.0,N/A,N/A,N/A,N/A,0.00048828125,1024.0,"
                              "0.00048828125,N/A,N/A,N/A,43520,NPU:0\r\n"));
}

TEST(MindSporeResults, TotalsOfPoolsCountIn1024) {
  MindSporeTrace made;
  auto& totals = made.trace.pool_totals();
  totals.time_ns = {ns(100), ns(150)};
  totals.allocated_bytes = {1 << 20, 0};
  totals.reserved_bytes = {1 << 21, 1 << 21};
  totals.active_bytes = {1 << 20, 0};
  made.link();
  const std::string text = Results(made.trace).read("memory_record.csv");
  EXPECT_THAT(text, StartsWith("Component,Timestamp(us),Total Allocated(MB),"
                               "Total Reserved(MB),Total Active(MB),Device Type\r\n"));
  EXPECT_THAT(text, HasSubstr("MindSpore,1700000000001100.000,1.0,2.0,1.0,NPU:0\r\n"
                              "MindSpore+GE,1700000000001100.000,1.0,2.0,1.0,NPU:0\r\n"));
}

TEST(MindSporeResults, OperationsOfTheDataPipelineAreCountedByKind) {
  MindSporeTrace made;
  for (const std::int64_t start : {0, 10}) {
    made.add_op(80, start, start + 4 + start / 10, "Dataset::Batch::WorkerProcess", "Dataset",
                "Batch", "WorkerProcess", "batch_size:2;shape:4");
  }
  made.add_op(80, 30, 30, "Dataset::Batch::WorkerProcess", "Dataset", "Batch", "WorkerProcess");
  made.link();
  EXPECT_EQ(Results(made.trace).read("dataset.csv"),
            "Operation,Stage,Occurrences,Avg. time (us),Custom Info\r\n"
            "Batch,WorkerProcess,2,4.5,\"{'batch_size': '2', 'shape': '4'}\"\r\n");
}

TEST(MindSporeResults, LaunchesAreListedWithTheirInputs) {
  MindSporeTrace made;
  auto& shapes = made.trace.launch_shapes();
  resize_rows(shapes, 1);
  shapes.name[0] = made.trace.strings.intern("MatMul");
  shapes.shapes[0] = made.trace.strings.intern("2,2;2,2");
  EXPECT_EQ(Results(made.trace).read("operator_details.csv"),
            "Name,Input Shapes\r\nMatMul,\"2,2;2,2\"\r\n");
}

analyze::DataPipeline three_operators() {
  analyze::DataPipeline pipeline;
  pipeline.operators.resize(3);
  const char* const types[] = {"BatchOp", "MapOp", "GeneratorOp"};
  for (std::uint32_t row = 0; row < 3; ++row) {
    auto& op = pipeline.operators[row];
    op.id = row;
    op.type = types[row];
    op.name = std::string(op.type.substr(0, op.type.size() - 2));
    op.label = op.name + "(id=" + std::to_string(row) + ")";
    op.workers = row == 2 ? 1 : 2;
    op.queue_length = 16;
    op.queue_sizes = {0, 0, 0, 1};
    op.queue_average = 0.25;
    op.queue_used_percent = 1.56;
    op.sample_interval_ms = 20;
    op.parent = row == 0 ? kNone : row - 1;
    if (row < 2) op.children = {row + 1};
  }
  pipeline.bottleneck = 1;
  pipeline.suggestion = "Try \"more\", please.";
  return pipeline;
}

TEST(MindSporeResults, TheRawTableOfThePipelineGoesFromTheConsumerDown) {
  EXPECT_THAT(pipeline_raw_csv(three_operators(), "\n"),
              HasSubstr("\n0,BatchOp,2,\"[0, 0, 0, 1]\",0.25,16,0.015625,20,,[1]\n1,MapOp,2,"));
  analyze::DataPipeline inlined = three_operators();
  inlined.operators[1].queue_length = -1;
  EXPECT_THAT(pipeline_raw_csv(inlined, "\n"), HasSubstr(",20,,[2]\n2,GeneratorOp,1,"));
}

TEST(MindSporeResults, TheSummaryOfThePipelineHasALineForEachMeasure) {
  const std::string csv = pipeline_summary_csv(three_operators(), "\n");
  EXPECT_THAT(csv, StartsWith("op_ids,0,1,2\nop_names,Batch,Map,Generator\n"
                              "pipeline_ops,Batch(id=0),Map(id=1),Generator(id=2)\n"));
  EXPECT_THAT(csv, HasSubstr("children_ids,[1],[2],[]\nparent_id,-1,0,1\n"));
  EXPECT_THAT(csv, HasSubstr("bottleneck_warning,Map(id=1)\n"));
  const std::string json = pipeline_summary_json(three_operators());
  EXPECT_THAT(json, StartsWith(R"({"op_ids": [0, 1, 2], "op_names": ["Batch",)"));
  EXPECT_THAT(json, HasSubstr(R"("children_ids": [[1], [2], []])"));
  EXPECT_THAT(json, HasSubstr(R"("bottleneck_suggestion": ["Try \"more\", please."]})"));
}

}  // namespace
}  // namespace npuprof::report
