#include "sim/npu/truth.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace npuprof::sim {
namespace {

nlohmann::json json_of(const TruthCounter& truth) {
  std::string text;
  JsonWriter json(text);
  truth.write_json(json);
  return nlohmann::json::parse(text);
}

TEST(Truth, SumsKernelsByTypeModuleAndStep) {
  TruthCounter truth;
  const std::uint32_t add = truth.kernel_type("Add", "AI_VECTOR_CORE");
  const std::uint32_t product = truth.kernel_type("MatMul", "AI_CORE");
  EXPECT_EQ(truth.kernel_type("Add", "AI_VECTOR_CORE"), add);
  EXPECT_NE(truth.kernel_type("Add", "AI_CPU"), add);
  truth.begin_step(1, 1000);
  truth.set_module(truth.module("model.layer0"));
  truth.add_kernel(add, {1100, 1200});
  truth.add_kernel(product, {1150, 1400});  // On another stream, at the same time.
  truth.set_module(TruthCounter::kNoModule);
  truth.add_kernel(add, {1500, 1510});
  truth.add_collective("hcom_allReduce_", "tp", {1300, 1600}, {300, 100, 50, 40});
  truth.end_step(2000);
  truth.add_kernel(add, {2500, 2600});  // Between steps.

  const auto json = json_of(truth);
  const auto& step = json["steps"][0];
  EXPECT_EQ(step["kernels"], 3);
  EXPECT_EQ(step["kernel_ns"], 360);
  EXPECT_EQ(step["compute_ns"], 310);
  EXPECT_EQ(step["communication_ns"], 300);
  EXPECT_EQ(step["overlapped_ns"], 110);
  EXPECT_EQ(json["kernel_ns"], 460);
  EXPECT_EQ(json["kernel_types"].size(), 2u) << "types that never ran are left out";
  EXPECT_EQ(json["kernel_types"][0]["count"], 3);
  EXPECT_EQ(json["kernel_types"][0]["min_ns"], 10);
  EXPECT_EQ(json["kernel_types"][0]["max_ns"], 100);
  EXPECT_EQ(json["modules"][0]["total_ns"], 350);
  EXPECT_EQ(json["collectives"][0]["synchronization_ns"], 40);
  EXPECT_EQ(json["counts"]["collectives"], 1);
}

TEST(Truth, ANewStepEndsTheOldOne) {
  TruthCounter truth;
  truth.begin_step(1, 100);
  truth.begin_step(2, 200);
  truth.end_step(300);
  truth.end_step(400);
  const auto json = json_of(truth);
  ASSERT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(json["steps"][0]["end_wall_ns"], 200);
  EXPECT_EQ(json["steps"][1]["end_wall_ns"], 300);
}

TEST(Truth, AddsTransfersByPeerAndLink) {
  TruthCounter truth;
  truth.add_transfer(3, Link::kHccs, 100, 10);
  truth.add_transfer(3, Link::kHccs, 300, 30);
  truth.add_transfer(9, Link::kRdma, 50, 5);
  truth.add_copy(1, 4096, 900);
  const auto json = json_of(truth);
  ASSERT_EQ(json["transfers"].size(), 2u);
  EXPECT_EQ(json["transfers"][0]["bytes"], 400);
  EXPECT_EQ(json["transfers"][0]["link"], "HCCS");
  EXPECT_EQ(json["transfers"][1]["to_rank"], 9);
  EXPECT_EQ(json["copies"][0]["total_ns"], 900);
  EXPECT_EQ(json["counts"]["copies"], 1);
}

}  // namespace
}  // namespace npuprof::sim
