#include "load/chrome_trace/chrome_trace.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/file.h"
#include "shared_data.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using trace::kNone;

// An operator that enqueues a kernel, which a call launches; and a collective with two tasks.
const char* const kNames = R"([
{"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"Python"}},
{"ph":"M","name":"process_name","pid":7199,"tid":0,"args":{"name":"CANN"}},
{"name":"process_name","args":{"name":"Ascend Hardware"},"pid":7617,"tid":0,"ph":"M"},
{"ph":"M","name":"process_labels","pid":7617,"tid":0,"args":{"labels":"NPU 1"}},
{"ph":"M","name":"process_name","pid":7649,"tid":0,"args":{"name":"Communication"}},
{"ph":"M","name":"thread_name","pid":7649,"tid":0,"args":{"name":"Group g1 Communication"}},
{"ph":"M","name":"thread_name","pid":7649,"tid":1,"args":{"name":"Plane 0"}},
{"ph":"M","name":"thread_name","pid":7649,"tid":2,"args":{"name":"Plane 1"}},
{"ph":"M","name":"process_labels","pid":7649,"tid":0,"args":{"labels":"NPU 1"}})";
const char* const kEvents = R"json(,
{"ph":"X","name":"aten::mm","pid":7,"tid":70,"ts":"1000000000000001.500","dur":10.0,"cat":"cpu_op",
 "args":{"Sequence number":4,"Fwd thread id":0,"Input Dims":"2,3;\r\n3,4","Input type":"float;\r\nfloat","Call stack":"a(1): f;\r\nb(2): g"}},
{"ph":"X","name":"MmBackward","pid":7,"tid":71,"ts":"1000000000000101.000","dur":1.0,"cat":"cpu_op",
 "args":{"Sequence number":4,"Fwd thread id":1}},
{"ph":"X","name":"Enqueue@mm","pid":7,"tid":70,"ts":"1000000000000002.000","dur":1.0,"cat":"enqueue","args":{"correlation_id":9}},
{"ph":"X","name":"Dequeue@mm","pid":7,"tid":80,"ts":"1000000000000004.000","dur":5.0,"cat":"dequeue","args":{"correlation_id":9}},
{"ph":"X","name":"Node@launch","pid":7199,"tid":80,"ts":"1000000000000005.000","dur":1.0,
 "args":{"Thread Id":80,"Mode":"launch","level":"node","id":"0","item_id":"MatMul1","connection_id":33}},
{"ph":"X","name":"MatMul1","pid":7617,"tid":2,"ts":"1000000000000020.000","dur":3.25,
 "args":{"Model Id":4294967295,"Task Type":"AI_CORE","Physic Stream Id":2,"Task Id":5,"Batch Id":0,"Subtask Id":4294967295,"connection_id":33}},
{"ph":"X","name":"EVENT_WAIT","pid":7617,"tid":2,"ts":"1000000000000019.000","dur":0.5,
 "args":{"Task Type":"EVENT_WAIT_SQE","Physic Stream Id":2,"Task Id":4,"Subtask Id":4294967295,"connection_id":34}},
{"ph":"X","name":"hcom_allReduce__123_0_1","pid":7649,"tid":0,"ts":"1000000000000030.000","dur":8.0,
 "args":{"rank_size":2,"connection_id":33,"model id":4294967295,"data_type":"FP16","alg_type":"MESH","count":16,"relay":"no","retry":"yes"}},
{"ph":"X","name":"Memcpy","pid":7649,"tid":1,"ts":"1000000000000030.000","dur":2.0,
 "args":{"notify_id":"18446744073709551615","stream id":3,"task id":6,"context id":4294967295,"task type":"Memcpy","src rank":0,"dst rank":1,
 "transport type":"SDMA","size(Byte)" : 64,
                  "data type" : "FP16",
                  "link type" : "HCCS",
                  "bandwidth(GB/s)" : 0.032,
                  "duration estimated(us)" : 1.5
}
},
{"ph":"X","name":"Notify_Wait","pid":7649,"tid":2,"ts":"1000000000000033.000","dur":5.0,
 "args":{"notify_id":"12","stream id":4,"task id":7,"context id":4294967295,"task type":"Notify_Wait","src rank":0,"dst rank":1,
 "transport type":"LOCAL","size(Byte)":0,"data type":"INVALID_TYPE","link type":"INVALID_TYPE","bandwidth(GB/s)":0}},
{"ph":"s","bp":"e","name":"torch_to_npu","id":"1","pid":7,"tid":70,"ts":"1000000000000001.500","cat":"async_npu"},
{"ph":"f","bp":"e","name":"torch_to_npu","id":"1","pid":7617,"tid":2,"ts":"1000000000000020.000","cat":"async_npu"},
{"ph":"s","bp":"e","name":"fwdbwd","id":4,"pid":7,"tid":70,"ts":"1000000000000001.500","cat":"fwdbwd"},
{"ph":"f","bp":"e","name":"fwdbwd","id":4,"pid":7,"tid":71,"ts":"1000000000000101.000","cat":"fwdbwd"})json";

class ChromeTrace : public ::testing::Test {
 protected:
  Status load(const std::string& text) {
    EXPECT_TRUE(write_file(directory_ / "trace.json", text).ok());
    return load_file(directory_ / "trace.json");
  }
  Status load_file(const fs::path& path) {
    ThreadPool pool(2);
    trace_ = {};
    losses_ = {};
    return load_chrome_trace(std::vector{path}, trace_, losses_, pool);
  }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  TemporaryDirectory directory_;
  trace::Trace trace_;
  trace::Losses losses_;
};

TEST_F(ChromeTrace, BecomesTablesWithTheJoinsItCarries) {
  ASSERT_TRUE(load(std::string(kNames) + kEvents + "]").ok());
  EXPECT_TRUE(losses_.empty());
  EXPECT_TRUE(losses_.notes().empty());
  EXPECT_EQ(trace_.session.pid, 7u);
  ASSERT_EQ(trace_.devices.size(), 1u);
  EXPECT_EQ(trace_.devices[0].id, 1u);

  ASSERT_EQ(trace_.framework_ops().size(), 2u);
  EXPECT_EQ(trace_.framework_ops().start_ns[0], 1000000000000001500);
  EXPECT_EQ(trace_.framework_ops().end_ns[0], 1000000000000011500);
  EXPECT_EQ(text(trace_.framework_ops().input_shapes[0]), "2,3;3,4");
  EXPECT_EQ(text(trace_.framework_ops().stack[0]), "a(1): f;b(2): g");
  EXPECT_THAT(trace_.forward_backward().forward, ElementsAre(0));
  EXPECT_THAT(trace_.forward_backward().backward, ElementsAre(1));
  EXPECT_THAT(trace_.dequeues().correlation, ElementsAre(9));
  EXPECT_EQ(text(trace_.dequeues().name[0]), "mm");

  ASSERT_EQ(trace_.tasks().size(), 4u);  // Two of them known from the collective alone.
  EXPECT_THAT(trace_.tasks().task, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(trace_.tasks().api, ElementsAre(kNone, 0, kNone, kNone));
  EXPECT_EQ(text(trace_.tasks().shown_type[0]), "EVENT_WAIT");
  ASSERT_EQ(trace_.kernels().size(), 1u);
  EXPECT_EQ(trace_.kernels().task[0], 1u);
  EXPECT_EQ(text(trace_.kernels().name[0]), "MatMul1");
  EXPECT_THAT(trace_.kernel_ops().op, ElementsAre(0));
  EXPECT_THAT(trace_.kernel_ops().task, ElementsAre(1));

  ASSERT_EQ(trace_.collective_ops().size(), 1u);
  EXPECT_EQ(text(trace_.collective_ops().type[0]), "hcom_allReduce_");
  EXPECT_EQ(text(trace_.collective_ops().group_name[0]), "g1");
  EXPECT_EQ(trace_.collective_ops().api[0], 0u);
  EXPECT_EQ(trace_.collective_ops().retry[0], 1);
  EXPECT_THAT(trace_.collective_tasks().op, ElementsAre(0, 0));
  EXPECT_THAT(trace_.collective_tasks().task, ElementsAre(2, 3));
  EXPECT_THAT(trace_.collective_tasks().plane, ElementsAre(0, 1));
  EXPECT_THAT(trace_.collective_tasks().notify_id, ElementsAre(~std::uint64_t{0}, 12));
  EXPECT_THAT(trace_.collective_tasks().link_type, ElementsAre(1, kNone));
}

TEST_F(ChromeTrace, AnArrowStandsForAllTasksOfItsCall) {
  const std::string task =
      R"(,{"ph":"X","name":"MEMSET_ASYNC","pid":7617,"tid":2,"ts":"1000000000000025.000","dur":1.0,
      "args":{"Task Type":"MEMSET_ASYNC","Physic Stream Id":2,"Task Id":5,"Subtask Id":4294967295,"connection_id":)";
  ASSERT_TRUE(load(std::string(kNames) + kEvents + task + "33}}" + task + "4294967295}}]").ok());
  EXPECT_THAT(trace_.tasks().api, ElementsAre(kNone, 0, 0, kNone, kNone, kNone));
  EXPECT_THAT(trace_.kernel_ops().op, ElementsAre(0, 0));
  EXPECT_THAT(trace_.kernel_ops().task, ElementsAre(1, 2));
}

// There the timeline has neither calls nor planes.
TEST_F(ChromeTrace, CollectivesOfLevel0KnowTheirTasks) {
  ASSERT_TRUE(load(std::string(kNames) + R"(,
{"ph":"X","name":"HcclAllreduce","pid":7,"tid":70,"ts":"1000000000000001.500","dur":10.0,"cat":"cpu_op","args":{}},
{"ph":"X","name":"hcom_allReduce__123_0_1","pid":7649,"tid":0,"ts":"1000000000000030.000","dur":8.0,"args":{"connection_id":33}},
{"ph":"X","name":"MEMCPY_ASYNC","pid":7617,"tid":2,"ts":"1000000000000030.000","dur":3.0,
 "args":{"Task Type":"SDMA_SQE","Physic Stream Id":2,"Task Id":5,"Subtask Id":0,"connection_id":33}},
{"ph":"X","name":"NOTIFY_WAIT","pid":7617,"tid":2,"ts":"1000000000000034.000","dur":4.0,
 "args":{"Task Type":"NOTIFY_WAIT_SQE","Physic Stream Id":2,"Task Id":5,"Subtask Id":1,"connection_id":33}},
{"ph":"X","name":"EVENT_WAIT","pid":7617,"tid":2,"ts":"1000000000000040.000","dur":0.5,
 "args":{"Task Type":"EVENT_WAIT_SQE","Physic Stream Id":2,"Task Id":6,"Subtask Id":4294967295,"connection_id":33}},
{"ph":"s","bp":"e","name":"torch_to_npu","id":"1","pid":7,"tid":70,"ts":"1000000000000001.500","cat":"async_npu"},
{"ph":"f","bp":"e","name":"torch_to_npu","id":"1","pid":7649,"tid":0,"ts":"1000000000000030.000","cat":"async_npu"}])")
                  .ok());
  EXPECT_THAT(trace_.collective_tasks().op, ElementsAre(0, 0));
  EXPECT_THAT(trace_.collective_tasks().task, ElementsAre(0, 1));
  EXPECT_THAT(trace_.collective_tasks().plane, ElementsAre(kNone, kNone));
  EXPECT_THAT(trace_.collective_tasks().start_ns,
              ElementsAre(1000000000000030000, 1000000000000034000));
  EXPECT_THAT(trace_.kernel_ops().op, ElementsAre(0, 0));
  EXPECT_THAT(trace_.kernel_ops().task, ElementsAre(0, 1));
}

// As at level 0: no calls, no planes. The tasks of a collective are those of its connection.
TEST_F(ChromeTrace, FindsTasksOfCollectivesByTheirConnection) {
  std::string events = R"(,
{"ph":"X","name":"hccl::all","pid":7,"tid":70,"ts":"1.000","dur":1.0,"cat":"cpu_op","args":{}},
{"ph":"X","name":"hcom_allReduce__123_0_1","pid":7649,"tid":0,"ts":"30.000","dur":8.0,"args":{"connection_id":40}})";
  const auto task = [](int number, const char* start, int connection) {
    return std::string(R"(,{"ph":"X","name":"NOTIFY_WAIT","pid":7617,"tid":2,"dur":1.0,"ts":")") +
           start + R"(","args":{"Task Type":"NOTIFY_WAIT","Stream Id":2,"Task Id":)" +
           std::to_string(number) + R"(,"connection_id":)" + std::to_string(connection) + "}}";
  };
  events +=
      task(1, "29.000", 40) + task(2, "30.000", 40) + task(3, "31.000", 41) + task(4, "37.500", 40);
  events += R"(,
{"ph":"s","name":"torch_to_npu","id":1,"pid":7,"tid":70,"ts":"1.000","cat":"async_npu"},
{"ph":"f","name":"torch_to_npu","id":1,"pid":7649,"tid":0,"ts":"30.000","cat":"async_npu"})";
  ASSERT_TRUE(load(std::string(kNames) + events + "]").ok());
  EXPECT_TRUE(losses_.empty());
  EXPECT_THAT(trace_.collective_tasks().op, ElementsAre(0, 0));
  EXPECT_THAT(trace_.collective_tasks().task, ElementsAre(1, 3)) << "what it did not run is not it";
  EXPECT_THAT(trace_.collective_tasks().plane, ElementsAre(kNone, kNone));
  EXPECT_THAT(trace_.kernel_ops().op, ElementsAre(0, 0));
  EXPECT_THAT(trace_.kernel_ops().task, ElementsAre(1, 3));
}

// Also those that start together; what looks like a mark but has no arrow is told of.
TEST_F(ChromeTrace, MarksOfTheDeviceFindThoseOfTheHost) {
  const std::string host = R"json(,
{"ph":"M","name":"process_name","pid":9,"tid":0,"args":{"name":"python3"}},
{"ph":"M","name":"process_labels","pid":9,"tid":0,"args":{"labels":"CPU"}},
{"ph":"X","name":"outer","pid":9,"tid":90,"ts":"1000000000000001.000","dur":9.0,"args":{"event_type":"start/end","domain":"d"}},
{"ph":"X","name":"inner","pid":9,"tid":90,"ts":"1000000000000002.000","dur":5.0,"args":{"event_type":"start/end","domain":"d"}},
{"ph":"s","bp":"e","name":"MsTx_4000000003","id":"4000000003","pid":9,"tid":90,"ts":"1000000000000002.000","cat":"MsTx"},
{"ph":"s","bp":"e","name":"MsTx_4000000002","id":"4000000002","pid":9,"tid":90,"ts":"1000000000000001.000","cat":"MsTx"})json";
  std::string device;
  for (const char* const name : {"outer", "inner", "WaitRequest"}) {
    device += std::string(R"(,{"ph":"X","name":")") + name +
              R"(","pid":7617,"tid":2,"ts":"1000000000000020.000","dur":3.0,)" +
              R"("args":{"Physic Stream Id":2,"Task Id":8}})";
  }
  for (const char* const id : {"4000000003", "4000000002"}) {
    device += std::string(R"(,{"ph":"f","bp":"e","name":"MsTx","id":")") + id +
              R"(","pid":7617,"tid":2,"ts":"1000000000000020.000","cat":"MsTx"})";
  }
  ASSERT_TRUE(load(std::string(kNames) + host + device + "]").ok());
  EXPECT_EQ(trace_.tasks().size(), 0u);
  const trace::DeviceMarks& marks = trace_.device_marks();
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_THAT(marks.mark, ElementsAre(0, 1));
  EXPECT_THAT(marks.mark_id, ElementsAre(1, 2));
  EXPECT_THAT(trace_.marks().mark_id, ElementsAre(1, 2));
  EXPECT_EQ(marks.stream[0], 2);
  EXPECT_TRUE(losses_.empty());
}

TEST_F(ChromeTrace, MayNameLanesAfterTheirEvents) {
  const std::string names = std::string(kNames).substr(1);
  const std::string events = std::string(kEvents).substr(1);
  ASSERT_TRUE(load("[" + events + "," + names + "]").ok());
  EXPECT_EQ(trace_.tasks().size(), 4u);
  EXPECT_EQ(trace_.kernels().size(), 1u);
}

TEST_F(ChromeTrace, IsReadFromAnObjectAndFromGzip) {
  const std::string json =
      "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 5}, \"traceEvents\": " +
      std::string(kNames) + kEvents + "], \"traceName\": \"a]b\\\"\"}";
  ASSERT_TRUE(load(json).ok());
  EXPECT_EQ(trace_.session.rank, 5);
  EXPECT_EQ(trace_.tasks().size(), 4u);
  const std::string path = directory_ / "trace.json.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, json.data(), static_cast<unsigned>(json.size()));
  gzclose(file);
  ASSERT_TRUE(load_file(path).ok());
  EXPECT_TRUE(losses_.empty());
  EXPECT_EQ(trace_.tasks().size(), 4u);
  // Half of the archive: what can be unpacked is kept.
  const std::string packed = read_file(path).value();
  ASSERT_TRUE(write_file(directory_ / "cut.json.gz", packed.substr(0, packed.size() / 2)).ok());
  if (load_file(directory_ / "cut.json.gz").ok()) {
    EXPECT_FALSE(losses_.empty());
  }
}

TEST_F(ChromeTrace, CountsTimeFromTheBaseItGives) {
  ASSERT_TRUE(load(R"({"baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
      {"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":12.5,"dur":1}]})")
                  .ok());
  EXPECT_THAT(trace_.framework_ops().start_ns, ElementsAre(1700000000000012500));
}

// A file that was cut anywhere gives the events before the cut, and says that something is missing.
TEST_F(ChromeTrace, IsKeptUpToACut) {
  const std::string whole = std::string(kNames) + kEvents + "]";
  for (std::size_t size = 0; size + 1 < whole.size(); size += 7) {
    const Status status = load(whole.substr(0, size));
    if (status.ok()) {
      EXPECT_FALSE(losses_.empty()) << size;
      EXPECT_LE(trace_.tasks().size(), 4u);
    } else {
      EXPECT_THAT(status.error().message, HasSubstr("trace.json"));
    }
  }
}

TEST_F(ChromeTrace, GoesOnAfterDamage) {
  std::string damaged = std::string(kNames) + kEvents + "]";
  damaged.replace(damaged.find("\"Enqueue@mm\""), 1, "x");  // An opening quotation mark.
  ASSERT_TRUE(load(damaged).ok());
  EXPECT_FALSE(losses_.empty());
  EXPECT_EQ(trace_.framework_ops().size(), 2u);
  EXPECT_EQ(trace_.kernels().size(), 1u);
  EXPECT_EQ(trace_.enqueues().size(), 0u);
}

TEST_F(ChromeTrace, PassesOverEventsWithoutTime) {
  ASSERT_TRUE(load(R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1},
                       {"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":"later","dur":1},
                       {"ph":"X","cat":"cpu_op","name":"c","pid":"x","tid":null,"ts":1e3,"dur":[]},
                       {}, {"ph":7}])")
                  .ok());
  EXPECT_EQ(trace_.framework_ops().size(), 1u);
  ASSERT_EQ(losses_.items().size(), 2u);
  EXPECT_EQ(losses_.items()[0].records, 4u);
  EXPECT_EQ(losses_.items()[1].records, 2u) << "no thread, no duration";
}

TEST_F(ChromeTrace, CountsArrowsWithOneEnd) {
  const std::string text = std::string(kNames) + kEvents + R"(,
{"ph":"s","name":"torch_to_npu","id":"2","pid":7,"tid":70,"ts":"1000000000000001.500","cat":"async_npu"},
{"ph":"f","name":"fwdbwd","id":5,"pid":7,"tid":71,"ts":"1000000000000101.000","cat":"fwdbwd"}])";
  ASSERT_TRUE(load(text).ok());
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_EQ(losses_.items()[0].records, 2u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("only one of their ends is there"));
}

// The number of an arrow comes again, and its ends are in no order.
TEST_F(ChromeTrace, ArrowsLeadForwardInTime) {
  const std::string text = std::string(kNames) + kEvents + R"(,
{"ph":"X","name":"aten::add","pid":7,"tid":70,"ts":"1000000000300000.000","dur":10.0,"cat":"cpu_op","args":{}},
{"ph":"X","name":"Add1","pid":7617,"tid":2,"ts":"1000000000300020.000","dur":3.25,
 "args":{"Model Id":4294967295,"Task Type":"AI_CORE","Physic Stream Id":2,"Task Id":6,"Batch Id":0,"Subtask Id":4294967295,"connection_id":40}},
{"ph":"X","name":"Sub1","pid":7617,"tid":2,"ts":"1000000000100020.000","dur":3.25,
 "args":{"Model Id":4294967295,"Task Type":"AI_CORE","Physic Stream Id":2,"Task Id":7,"Batch Id":0,"Subtask Id":4294967295,"connection_id":41}},
{"ph":"s","name":"torch_to_npu","id":"2","pid":7,"tid":70,"ts":"1000000000300000.000","cat":"async_npu"},
{"ph":"f","name":"torch_to_npu","id":"2","pid":7617,"tid":2,"ts":"1000000000100020.000","cat":"async_npu"},
{"ph":"s","name":"torch_to_npu","id":"2","pid":7,"tid":70,"ts":"1000000000000001.500","cat":"async_npu"},
{"ph":"f","name":"torch_to_npu","id":"2","pid":7617,"tid":2,"ts":"1000000000300020.000","cat":"async_npu"},
{"ph":"s","name":"torch_to_npu","id":"3","pid":7,"tid":70,"ts":"1000000000300000.000","cat":"async_npu"},
{"ph":"f","name":"torch_to_npu","id":"3","pid":7617,"tid":2,"ts":"1000000000000020.000","cat":"async_npu"}])";
  ASSERT_TRUE(load(text).ok());
  const auto& pairs = trace_.kernel_ops();
  ASSERT_GT(pairs.size(), 0U);
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint32_t kernel = trace_.tasks().kernel[pairs.task[i]];
    if (kernel == kNone) continue;
    joined.push_back(std::string(trace_.strings.view(trace_.framework_ops().name[pairs.op[i]])) +
                     " " + std::string(trace_.strings.view(trace_.kernels().name[kernel])));
  }
  EXPECT_THAT(joined, ElementsAre("aten::mm MatMul1", "aten::mm Sub1", "aten::add Add1"));
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_EQ(losses_.items()[0].records, 1u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("had begun before"));
}

// An inner operator begins with the backward operator, and another one with the forward one.
TEST_F(ChromeTrace, ArrowsOfBackwardPassesTouchOperatorsWithTheirNumber) {
  const std::string text = std::string(kNames) + kEvents + R"(,
{"ph":"X","name":"aten::inner","pid":7,"tid":70,"ts":"1000000000000001.500","dur":1.0,"cat":"cpu_op",
 "args":{"Sequence number":-1,"Fwd thread id":0}},
{"ph":"X","name":"aten::matmul","pid":7,"tid":71,"ts":"1000000000000101.000","dur":0.5,"cat":"cpu_op",
 "args":{"Sequence number":-1,"Fwd thread id":0}}])";
  ASSERT_TRUE(load(text).ok());
  const auto& pairs = trace_.forward_backward();
  ASSERT_EQ(pairs.size(), 1u);
  const auto& names = trace_.framework_ops().name;
  EXPECT_EQ(trace_.strings.view(names[pairs.forward[0]]), "aten::mm");
  EXPECT_EQ(trace_.strings.view(names[pairs.backward[0]]), "MmBackward");
}

TEST_F(ChromeTrace, CountsValuesOfNoUse) {
  // Of a slice: no thread, no duration, a connection that is no number. Of an arrow: no id. An
  // absent connection is none of them, nor is one that is not available.
  const std::string text = std::string(kNames) + kEvents + R"(,
{"ph":"X","name":"a","pid":7199,"tid":80,"ts":"1000000000000005.000","dur":1,"args":{"connection_id":{}}},
{"ph":"X","name":"b","pid":7199,"tid":80,"ts":"1000000000000005.000","dur":1,"args":{"connection_id":"N/A"}},
{"ph":"X","name":"c","pid":7199,"tid":80,"ts":"1000000000000005.000","dur":1,"args":{}},
{"ph":"X","name":"d","pid":7199,"tid":null,"ts":"1000000000000005.000"},
{"ph":"s","name":"HostToDevice33","pid":7199,"tid":80,"ts":"1000000000000005.000","cat":"HostToDevice"}])";
  ASSERT_TRUE(load(text).ok());
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_EQ(losses_.items()[0].records, 4u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("missing or of the wrong type"));
}

TEST_F(ChromeTrace, LeavesOutEventsDaysFromAllOthers) {
  const std::string text = std::string(kNames) + kEvents + R"(,
{"ph":"X","name":"a","pid":7199,"tid":80,"ts":"100000000000005.000","dur":1},
{"ph":"X","name":"b","pid":7199,"tid":80,"ts":"1000000000000005.000","dur":1e12}])";
  ASSERT_TRUE(load(text).ok());
  EXPECT_EQ(trace_.api_calls().size(), 1u);
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_EQ(losses_.items()[0].what, "2 events are left out: they lie days from all others");
}

TEST_F(ChromeTrace, SaysWhatItPassesOver) {
  const std::string unread = R"(,
{"ph":"M","name":"process_name","pid":9,"tid":0,"args":{"name":"HBM"}},
{"ph":"C","name":"HBM 0/Read","pid":9,"tid":0,"ts":"1000000000000001.000","args":{"MB/s":1}},
{"ph":"C","name":"HBM 0/Write","pid":9,"tid":0,"ts":"1000000000000001.000","args":{"MB/s":1}},
{"ph":"X","name":"x","pid":10,"tid":0,"ts":"1000000000000001.000","dur":1,"cat":"overhead"},
{"ph":"X","name":"x","pid":11,"tid":0,"ts":"1000000000000001.000","dur":1},
{"ph":"i","name":"x","pid":10,"tid":0,"ts":"1000000000000001.000"}])";
  ASSERT_TRUE(load(std::string(kNames) + kEvents + unread).ok());
  EXPECT_TRUE(losses_.empty());
  ASSERT_EQ(losses_.notes().size(), 1u);
  EXPECT_EQ(losses_.notes()[0].records, 5u);
  EXPECT_EQ(losses_.notes()[0].what,
            "5 events are passed over, no table is for them: HBM 2, layers without a name 1, "
            "overhead 1, phase i 1");
  // Nothing is left then.
  const Status status = load("[" + unread.substr(1));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("HBM 2"));
}

TEST_F(ChromeTrace, RefusesWhatIsNoTimeline) {
  for (const char* text :
       {"", "  ", "hello", "{}", "{\"a\": [1]}", "\"x\"", "{\"traceEvents\": 1}"}) {
    EXPECT_FALSE(load(text).ok()) << text;
  }
  EXPECT_FALSE(load_file(directory_ / "absent.json").ok());
}

TEST_F(ChromeTrace, OfAGpuHasKernelsCallsAndCollectives) {
  const fs::path path =
      npuprof::testing::shared_data_path("data/real/gpu_chrome_trace/sampled_rank-0.json.gz");
  if (!fs::exists(path)) GTEST_SKIP() << "no reference data at " << path;
  ASSERT_TRUE(load_file(path).ok());
  EXPECT_TRUE(losses_.empty());
  EXPECT_EQ(trace_.session.rank, 0);
  EXPECT_EQ(trace_.framework_ops().size(), 2329u + 73u);
  EXPECT_EQ(trace_.api_calls().size(), 1204u);
  EXPECT_EQ(trace_.tasks().size(), 1154u + 40u + 10u);
  EXPECT_EQ(trace_.kernels().size(), 1154u);
  EXPECT_EQ(trace_.collective_ops().size(), 10u);
  EXPECT_EQ(trace_.collective_tasks().size(), 10u);
  std::size_t launched = 0;
  for (const std::uint32_t api : trace_.tasks().api) launched += api != kNone ? 1 : 0;
  EXPECT_EQ(launched, trace_.tasks().size()) << "every task has the call that launched it";
  std::size_t copies = 0;
  for (const std::uint32_t direction : trace_.tasks().copy_direction) copies += direction != kNone;
  EXPECT_EQ(copies, 40u);
}

}  // namespace
}  // namespace npuprof::load
