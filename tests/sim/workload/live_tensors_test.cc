#include "sim/workload/live_tensors.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

TensorDesc desc(std::vector<std::uint32_t> shape) {
  return {.type = ElementType::kFloat32, .shape = std::move(shape)};
}

std::vector<std::uint64_t> storages(const CallTensors& call) {
  std::vector<std::uint64_t> addresses;
  for (const auto& tensor : call.view().tensors) addresses.push_back(tensor.storage);
  return addresses;
}

TEST(LiveTensors, PrefersParametersThenTheLatestResult) {
  LiveTensors tensors(2);
  std::vector<Parameter> parameters;
  parameters.push_back(
      {"weight",
       ElementType::kFloat32,
       {8, 4},
       tensors.make(0x9000, ElementType::kFloat32, std::vector<std::uint32_t>{8, 4})});
  const std::vector<Parameter>* modules[] = {&parameters};
  tensors.add_result(0x1000, 2 * 8 * 4);
  tensors.add_result(0x2000, 2 * 8 * 4);

  const TensorDesc inputs[] = {desc({2, 8}), desc({8, 4})};
  const CallTensors call = tensors.inputs(inputs, modules);
  EXPECT_EQ(storages(call), (std::vector<std::uint64_t>{0x2000, 0x9000}));
  const auto& first = call.view().tensors[0];
  EXPECT_EQ(first.sizes, "2,8");
  EXPECT_EQ(first.strides, "8,1");
  EXPECT_EQ(first.device_index, 2);

  tensors.remove(0x2000);
  EXPECT_EQ(storages(tensors.inputs(inputs, modules))[0], 0x1000u);
}

TEST(LiveTensors, TwoInputsOfACallAreDifferentTensors) {
  LiveTensors tensors(0);
  tensors.add_result(0x1000, 64);
  const TensorDesc inputs[] = {desc({16}), desc({16}), desc({16})};
  const CallTensors call = tensors.inputs(inputs, {});
  const auto found = storages(call);
  EXPECT_EQ(found[0], 0x1000u);
  EXPECT_EQ(std::set(found.begin(), found.end()).size(), 3u);
}

TEST(LiveTensors, TheSameTensorIsTheSameObjectUntilItIsGone) {
  LiveTensors tensors(0);
  const auto object = [&] {
    const TensorDesc inputs[] = {desc({16})};
    return tensors.inputs(inputs, {}).view().tensors[0].impl_address;
  };
  const std::uint64_t older = object();
  EXPECT_EQ(object(), older);
  tensors.add_result(0x1000, 64);
  const std::uint64_t result = object();
  EXPECT_NE(result, older);
  EXPECT_EQ(object(), result);
  tensors.remove(0x1000);
  EXPECT_EQ(object(), older);
  tensors.add_result(0x1000, 64);  // Another tensor in the same memory.
  EXPECT_NE(object(), result);
}

TEST(LiveTensors, AParameterHasOneGradient) {
  LiveTensors tensors(0);
  const Parameter parameter{
      "bias",
      ElementType::kFloat32,
      {4},
      tensors.make(0x9000, ElementType::kFloat32, std::vector<std::uint32_t>{4})};
  const ProgramTensor& gradient = tensors.gradient(parameter);
  EXPECT_NE(gradient.storage(), parameter.tensor.storage());
  EXPECT_EQ(gradient.bytes(), 16);
  EXPECT_EQ(&tensors.gradient(parameter), &gradient);
}

}  // namespace
}  // namespace npuprof::sim
