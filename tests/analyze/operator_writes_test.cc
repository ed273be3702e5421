#include "analyze/operator_writes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::analyze {
namespace {

using format::framework::InputKind;

// Positions that a call changes. Kinds: T tensor, L list of tensors, S scalar, N none.
std::vector<std::size_t> changed(std::string_view name, std::string_view kinds) {
  std::vector<InputKind> inputs;
  for (const char kind : kinds) {
    inputs.push_back(kind == 'T'   ? InputKind::kTensor
                     : kind == 'L' ? InputKind::kTensorList
                     : kind == 'S' ? InputKind::kScalar
                                   : InputKind::kNone);
  }
  const OperatorWrites writes = OperatorWrites::of(name);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (writes.writes(i, inputs)) found.push_back(i);
  }
  return found;
}

using Positions = std::vector<std::size_t>;

TEST(OperatorWritesTest, OperatorsInPlaceChangeTheirFirstInput) {
  EXPECT_EQ(changed("aten::add_", "TTS"), Positions({0}));
  EXPECT_EQ(changed("aten::_foreach_mul_", "LS"), Positions({0}));
  EXPECT_EQ(changed("aten::__iadd__", "TT"), Positions({0}));
  EXPECT_EQ(changed("npu::npu_apply_", "TT"), Positions({0}));
  EXPECT_EQ(changed("aten::add", "TTS"), Positions());
  EXPECT_EQ(changed("aten::__and__", "TT"), Positions());
}

TEST(OperatorWritesTest, SomeChangeMore) {
  EXPECT_EQ(changed("aten::_fused_adam_", "LLLLLLSSSSSSSTT"), Positions({0, 1, 2, 3, 4}));
  EXPECT_EQ(changed("aten::_amp_update_scale_", "TTTSSS"), Positions({0, 1}));
}

TEST(OperatorWritesTest, OutputsThatTheProgramGives) {
  EXPECT_EQ(changed("aten::add", "TTST"), Positions({3}));
  EXPECT_EQ(changed("aten::mm", "TTT"), Positions({2}));
  EXPECT_EQ(changed("aten::mm", "TT"), Positions());
  EXPECT_EQ(changed("aten::topk", "TSSSSTT"), Positions({5, 6}));
  EXPECT_EQ(changed("aten::topk", "TSSSSTN"), Positions()) << "an output is always there";
  EXPECT_EQ(changed("aten::max", "TSS"), Positions()) << "the form with a dimension";
  EXPECT_EQ(changed("aten::max", "TTT"), Positions({2}));
  EXPECT_EQ(changed("other::mm", "TTT"), Positions());
}

TEST(OperatorWritesTest, RangesAreNoOperators) {
  for (const char* name : {"aten::mm", "npu::npu_rms_norm", "c10d::allreduce_"}) {
    EXPECT_TRUE(OperatorWrites::of(name).is_operator()) << name;
  }
  for (const char* name :
       {"", "::", "aten::", "mm", "Event::record", "TorchNpuGraphBase::Run",
        "torch::autograd::AccumulateGrad", "autograd::engine::evaluate_function: AddBackward0",
        "Optimizer.step#SGD.step", "nccl:all_reduce"}) {
    EXPECT_FALSE(OperatorWrites::of(name).is_operator()) << name;
  }
}

}  // namespace
}  // namespace npuprof::analyze
