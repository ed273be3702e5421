#include "sim/torch/python_side.h"

#include <map>

#include <gtest/gtest.h>

#include "format/framework/param_tensor_info.h"
#include "format/framework/python_tracer.h"
#include "sim/torch/framework_fixture.h"

namespace npuprof::sim {
namespace {

using format::framework::ParamTensorInfo;
using format::framework::PythonCall;
using format::framework::PythonHash;
using testing::kMainThread;
using testing::kQueueThread;

class PythonTracerTest : public testing::FrameworkFixture {
 protected:
  std::map<std::uint64_t, std::string> names() {
    std::map<std::uint64_t, std::string> found;
    for (const auto& hash : records<PythonHash>(format::framework::kPythonTracerHashFile)) {
      EXPECT_TRUE(found.emplace(hash.fixed.key, hash.value).second) << "one record for each key";
    }
    return found;
  }
  std::vector<PythonCall> calls() {
    return bare_records<PythonCall>(format::framework::kPythonTracerCallFile);
  }
  // "tag time name" of every record, in file order.
  std::vector<std::string> lines() {
    const auto name_of = names();
    std::vector<std::string> found;
    for (const PythonCall& call : calls()) {
      const auto tick = static_cast<std::int64_t>(call.time - ticks(0));
      found.push_back(std::to_string(call.tag) + " " + std::to_string(tick * 10) + " " +
                      name_of.at(call.key));
    }
    return found;
  }
};

constexpr const char* kExit = "__torch_npu_profiler_python_tracer_exit";

TEST_F(PythonTracerTest, WritesCallsReturnsAndNames) {
  PythonSide tracer(open(), {});
  const auto main = tracer.function("train.py", 88, "main");
  const auto length = tracer.c_function("<built-in function len>");
  tracer.call(main, {100, kMainThread});
  tracer.call(length, {200, kMainThread});
  tracer.leave({300, kMainThread});
  tracer.leave({400, kMainThread});
  tracer.leave({500, kMainThread});
  tracer.stop();
  EXPECT_EQ(lines(), (std::vector<std::string>{
                         "0 100 train.py(88): main", "2 200 <built-in function len>",
                         std::string("3 300 ") + kExit, std::string("1 400 ") + kExit}));
  const auto hashes = records<PythonHash>(format::framework::kPythonTracerHashFile);
  EXPECT_EQ(hashes.back().value, kExit) << "the exit marker comes last";
  EXPECT_EQ(hashes.size(), 3u) << "functions that were never called have no name";
}

TEST_F(PythonTracerTest, AModulePassesThroughItsFrames) {
  PythonSide tracer(open(), {.seed = 1, .start_ns = 0, .call_ns = 100});
  const auto linear = tracer.module("Linear", 4096, "torch/nn/modules/linear.py", 114);
  EXPECT_EQ(tracer.call(linear, {1000, kMainThread}), 1500);
  EXPECT_EQ(tracer.depth(kMainThread), 3u);
  EXPECT_EQ(tracer.leave(linear, {5000, kMainThread}), 5300);
  EXPECT_EQ(tracer.depth(kMainThread), 0u);
  tracer.stop();
  const auto found = lines();
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(found[0], "0 1000 Linear######4096");
  EXPECT_EQ(found[1], "0 1100 torch/nn/modules/module.py(1520): _call_impl");
  EXPECT_TRUE(found[2].starts_with("2 1200 <built-in method _get_tracing_state"));
  EXPECT_EQ(found[4], "0 1400 torch/nn/modules/linear.py(114): forward");
  EXPECT_EQ(found[7], std::string("1 5200 ") + kExit);
}

TEST_F(PythonTracerTest, FramesOpenAtTheStartAreAppendedAtTheStop) {
  PythonSide tracer(open(), {.seed = 1, .start_ns = 1000, .call_ns = 100});
  const PythonSide::Function frames[] = {tracer.function("<string>", 1, "<module>"),
                                         tracer.function("train.py", 88, "main")};
  tracer.open_at_start(kMainThread, frames);
  tracer.open_at_start(kQueueThread, frames);
  EXPECT_EQ(tracer.depth(kMainThread), 2u);
  const auto step = tracer.function("torch_npu/profiler/profiler.py", 241, "step");
  tracer.call(step, {2000, kMainThread});
  tracer.call(step, {2500, kQueueThread});
  tracer.leave({3000, kMainThread});
  tracer.leave({4000, kMainThread});
  tracer.stop();
  EXPECT_EQ(lines(), (std::vector<std::string>{
                         "0 2000 torch_npu/profiler/profiler.py(241): step",
                         "0 2500 torch_npu/profiler/profiler.py(241): step",
                         std::string("1 3000 ") + kExit, std::string("1 4000 ") + kExit,
                         "0 1000 <string>(1): <module>", "0 1020 train.py(88): main"}))
      << "and not for the other thread, which returned from nothing";
}

TEST_F(PythonTracerTest, OnlyTheInnermostFramesAreKnownFromBefore) {
  PythonSide tracer(open(), {});
  std::vector<PythonSide::Function> frames;
  for (int i = 0; i < 200; ++i) frames.push_back(tracer.function("deep.py", i, "f"));
  tracer.open_at_start(kMainThread, frames);
  tracer.leave({90'000, kMainThread});
  tracer.stop();
  const auto found = lines();
  ASSERT_EQ(found.size(), 130u);
  EXPECT_EQ(found[1], "0 0 deep.py(71): f");
}

TEST_F(PythonTracerTest, ParametersAreRecordedWithTheFirstCall) {
  PythonSide tracer(open(), {});
  const auto linear = tracer.module("Linear", 4096, "linear.py", 114);
  const auto step = tracer.function("torch/optim/sgd.py", 307, "step");
  tracer.set_module_parameters(linear, "module text");
  tracer.set_optimizer_parameters(step, "optimizer text");
  for (int i = 0; i < 2; ++i) {
    tracer.call(linear, {1000 + i * 10'000, kMainThread});
    tracer.leave(linear, {5000 + i * 10'000, kMainThread});
    tracer.call(step, {7000 + i * 10'000, kMainThread});
    tracer.leave({8000 + i * 10'000, kMainThread});
  }
  tracer.stop();
  const auto infos = records<ParamTensorInfo>(format::framework::kParamTensorInfoFile);
  ASSERT_EQ(infos.size(), 2u);
  EXPECT_EQ(infos[0].fixed.key, tracer.key(linear.object));
  EXPECT_EQ(infos[0].module_parameters, "module text");
  EXPECT_FALSE(infos[0].optimizer_parameters);
  EXPECT_EQ(infos[1].fixed.key, tracer.key(step));
  EXPECT_EQ(infos[1].optimizer_parameters, "optimizer text");
}

TEST_F(PythonTracerTest, KeysFollowFromTheSeed) {
  FrameworkWriter& writer = open();
  PythonSide one(writer, {.seed = 1});
  PythonSide same(writer, {.seed = 1});
  PythonSide other(writer, {.seed = 2});
  const auto in_one = one.function("a.py", 1, "f");
  EXPECT_EQ(one.function("a.py", 1, "f"), in_one);
  EXPECT_EQ(one.key(in_one), same.key(same.function("a.py", 1, "f")));
  EXPECT_NE(one.key(in_one), other.key(other.function("a.py", 1, "f")));
  EXPECT_NE(one.key(in_one), one.key(one.function("a.py", 2, "f")));
}

TEST_F(PythonTracerTest, StacksAreKeptWhenNothingIsRecorded) {
  FrameworkOptions options;
  PythonSide tracer(open(options), {});
  tracer.call(tracer.function("train.py", 88, "main"), {100, kMainThread});
  EXPECT_EQ(tracer.depth(kMainThread), 1u);
  EXPECT_EQ(tracer.depth(kQueueThread), 0u);
  tracer.stop();
  EXPECT_TRUE(calls().empty());
}

}  // namespace
}  // namespace npuprof::sim
