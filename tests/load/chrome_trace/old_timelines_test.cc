// Timelines as earlier releases wrote them.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "load/chrome_trace/chrome_trace.h"
#include "temporary_directory.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::kNone;

class OldTimelines : public ::testing::Test {
 protected:
  void load(const std::string& text, const std::string& name = "trace_view.json") {
    ASSERT_TRUE(make_directories((directory_ / name).parent_path()).ok());
    ASSERT_TRUE(write_file(directory_ / name, text).ok());
    ThreadPool pool(2);
    trace_ = {};
    losses_ = {};
    const Status status = load_chrome_trace(std::vector{directory_ / name}, trace_, losses_, pool);
    ASSERT_TRUE(status.ok()) << status.error().message;
    for (const trace::Loss& loss : losses_.items()) ADD_FAILURE() << loss.what;
    for (const trace::Note& note : losses_.notes()) ADD_FAILURE() << note.what;
  }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  npuprof::testing::TemporaryDirectory directory_;
  trace::Trace trace_;
  trace::Losses losses_;
};

// A layer of CANN: its name, label and index.
std::string layer(const std::string& pid, const std::string& name, const std::string& label,
                  const std::string& index) {
  const auto fact = [&](const std::string& what, const std::string& key, const std::string& value) {
    return R"({"ph":"M","name":")" + what + R"(","pid":)" + pid + R"(,"tid":0,"args":{")" + key +
           R"(":)" + value + "}},\n";
  };
  return fact("process_name", "name", '"' + name + '"') +
         fact("process_labels", "labels", '"' + label + '"') +
         fact("process_sort_index", "sort_index", index);
}

std::string lane(const std::string& pid, const std::string& tid, const std::string& name) {
  return R"({"ph":"M","name":"thread_name","pid":)" + pid + R"(,"tid":)" + tid +
         R"(,"args":{"name":")" + name + "\"}},\n";
}

// PyTorch, January 2024: process ids are decimal and hold the device, level 0 shows the calls that
// programs make, but not those that launch.
const std::string kJanuary2024 =
    "[" + layer("4376", "Python", "CPU", "0") + layer("1300", "Ascend Hardware", "NPU", "13") +
    layer("437602", "CANN", "CPU", "2") + layer("43761100", "Overlap Analysis", "NPU", "11") +
    R"json({"ph":"X","name":"aten::zero_","pid":4376,"tid":43,"ts":"1704161511000001.000","dur":9,"cat":"cpu_op","args":{}},
{"ph":"X","name":"AscendCL@aclnnInplaceZero","pid":437602,"tid":43,"ts":"1704161511000002.000","dur":6.25001,
 "args":{"Thread Id":43,"Mode":"ACL_NN","level":"acl","id":"aclnnInplaceZero","item_id":"0","connection_id":3}},
{"ph":"X","name":"AscendCL@aclrtMalloc","pid":437602,"tid":43,"ts":"1704161511000003.000","dur":0.5,
 "args":{"Thread Id":43,"Mode":"ACL_RTS","level":"acl","id":"aclrtMalloc","item_id":"0","connection_id":4}},
{"ph":"X","name":"Zeros_1","pid":1300,"tid":3,"ts":"1704161511000011.000","dur":1.5,"args":{"Model Id":4294967295,
 "Task Type":"Other","Stream Id":3,"Task Id":9,"Batch Id":0,"Subtask Id":4294967295,"connection_id":8}},
{"ph":"X","name":"MEMCPY_ASYNC","pid":1300,"tid":3,"ts":"1704161511000013.000","dur":1,"args":{"Model Id":4294967295,
 "Task Type":"Other","Stream Id":3,"Task Id":10,"Batch Id":0,"Subtask Id":4294967295,"connection_id":-1}},
{"ph":"X","name":"Computing","pid":43761100,"tid":0,"ts":"1704161511000011.000","dur":1.5},
{"ph":"s","name":"HostToDevice38654705663","cat":"HostToDevice","id":"38654705663","pid":437602,"tid":43,"ts":"1704161511000005.000"},
{"ph":"f","name":"HostToDevice38654705663","cat":"HostToDevice","id":"38654705663","pid":1300,"tid":3,"ts":"1704161511000011.000","bp":"e"},
{"ph":"s","name":"torch_to_npu","cat":"async_npu","id":1704161511000011000,"pid":4376,"tid":43,"ts":"1704161511000001.000"},
{"ph":"f","name":"torch_to_npu","cat":"async_npu","id":1704161511000011000,"pid":1300,"tid":3,"ts":"1704161511000011.000","bp":"e"}]
)json";

TEST_F(OldTimelines, OfJanuary2024HaveTheDeviceInDecimalProcessIds) {
  load(kJanuary2024);
  ASSERT_EQ(trace_.devices.size(), 1u);
  EXPECT_EQ(trace_.devices[0].id, 0u);
  EXPECT_THAT(trace_.overlap_intervals.device, ElementsAre(0));
  EXPECT_EQ(trace_.session.pid, 4376u);
}

TEST_F(OldTimelines, OfJanuary2024JoinCallsAndTasksByArrows) {
  load(kJanuary2024);
  ASSERT_EQ(trace_.api_calls.size(), 2u);
  EXPECT_EQ(text(trace_.api_calls.name[0]), "aclnnInplaceZero");
  EXPECT_THAT(trace_.tasks.api, ElementsAre(0, kNone)) << "the call around the arrow's begin";
  EXPECT_THAT(trace_.tasks.tid, ElementsAre(43, 0));
  EXPECT_THAT(trace_.kernel_ops.task, ElementsAre(0));
  ASSERT_EQ(trace_.kernels.size(), 1u);
  EXPECT_EQ(text(trace_.kernels.task_type[0]), "N/A") << "Other is no core";
}

}  // namespace
}  // namespace npuprof::load
