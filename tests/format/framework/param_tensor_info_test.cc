#include "format/framework/param_tensor_info.h"

#include <gtest/gtest.h>

#include "format/framework/record_bytes.h"

namespace npuprof::format::framework {
namespace {

constexpr TensorText kWeight{.impl_address = 0x10,
                             .storage = 0x1000,
                             .dtype = "float",
                             .element_bytes = 4,
                             .sizes = "2,3",
                             .strides = "3,1",
                             .device_type = DeviceType::kNpu,
                             .device_index = 0};
constexpr TensorText kGradient{.impl_address = 0x20,
                               .storage = 0x2000,
                               .dtype = "c10::complex<float>",
                               .element_bytes = 8,
                               .sizes = "6",
                               .strides = "1",
                               .device_type = DeviceType::kNpu,
                               .device_index = 3};

template <typename Item, typename ForEach>
std::vector<Item> items_of(ForEach for_each, std::optional<std::string_view> text,
                           std::size_t expected_malformed = 0) {
  std::vector<Item> items;
  EXPECT_EQ(for_each(text, [&](const Item& item) { items.push_back(item); }), expected_malformed);
  return items;
}

std::vector<ModuleParameter> module_items(std::optional<std::string_view> text,
                                          std::size_t malformed = 0) {
  return items_of<ModuleParameter>(
      [](auto field, auto visit) { return for_each_module_parameter(field, visit); }, text,
      malformed);
}

std::vector<OptimizerParameter> optimizer_items(std::optional<std::string_view> text,
                                                std::size_t malformed = 0) {
  return items_of<OptimizerParameter>(
      [](auto field, auto visit) { return for_each_optimizer_parameter(field, visit); }, text,
      malformed);
}

std::vector<OptimizerState> state_items(std::string_view text, std::size_t malformed = 0) {
  return items_of<OptimizerState>(
      [](auto states, auto visit) { return for_each_optimizer_state(*states, visit); }, text,
      malformed);
}

TEST(ParamTensorInfo, RoundTripsRandomValues) {
  testing::expect_round_trip<ParamTensorInfoFixed>();
  testing::expect_record_round_trip<ParamTensorInfo>();
}

TEST(ParamTensorInfo, DecodesBytesWrittenByHand) {
  auto bytes = testing::hex("05 00 36 00 00 00 09 00 00 00 00 00 00 00 01 00 28 00 00 00");
  const auto text = as_bytes("weight)0x10;0x1000;float;4;2,3;3,1;20;0)");
  bytes.insert(bytes.end(), text.begin(), text.end());
  const auto info = testing::expect_same_bytes<ParamTensorInfo>(bytes);
  EXPECT_EQ(info.fixed.key, 9u);
  EXPECT_FALSE(info.optimizer_parameters);
  EXPECT_EQ(module_items(info.module_parameters),
            (std::vector<ModuleParameter>{{"weight", kWeight, std::nullopt}}));
}

TEST(ParamTensorInfo, ModuleParametersRoundTrip) {
  const std::vector<ModuleParameter> parameters{
      {"weight", kWeight, kGradient}, {"bias", kGradient, std::nullopt}, {"", kWeight, kWeight}};
  std::string text;
  for (const auto& parameter : parameters) append_module_parameter(text, parameter);
  EXPECT_EQ(module_items(text), parameters);
  EXPECT_EQ(text.back(), '0') << "the last '}' is left out";
  EXPECT_TRUE(module_items(std::nullopt).empty());
  EXPECT_TRUE(module_items("").empty());
}

TEST(ParamTensorInfo, OptimizerParametersRoundTripWithAndWithoutStates) {
  std::string states;
  append_optimizer_state(states, {"step", kWeight});
  append_optimizer_state(states, {"exp_avg", kGradient});
  EXPECT_EQ(states.back(), ']');
  EXPECT_EQ(state_items(states),
            (std::vector<OptimizerState>{{"step", kWeight}, {"exp_avg", kGradient}}));
  EXPECT_TRUE(state_items("").empty());

  const std::vector<OptimizerParameter> parameters{
      {kWeight, std::nullopt, ""}, {kWeight, kGradient, states}, {kGradient, kWeight, ""}};
  std::string text;
  for (const auto& parameter : parameters) append_optimizer_parameter(text, parameter);
  EXPECT_EQ(optimizer_items(text), parameters);
}

TEST(ParamTensorInfo, MalformedItemsAreCountedAndTheOthersKept) {
  std::string text;
  append_module_parameter(text, {"weight", kWeight, std::nullopt});
  text += "}no parts}a)b)c}name)";
  append_module_parameter(text, {"bias", kWeight, std::nullopt});
  EXPECT_EQ(module_items(text, 3), (std::vector<ModuleParameter>{{"weight", kWeight, std::nullopt},
                                                                 {"bias", kWeight, std::nullopt}}));
  EXPECT_TRUE(optimizer_items(text, 5).empty());
  EXPECT_TRUE(state_items("no tensor]also>none]", 2).empty());
}

}  // namespace
}  // namespace npuprof::format::framework
