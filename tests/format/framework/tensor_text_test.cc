#include "format/framework/tensor_text.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "format/framework/data_type.h"

namespace npuprof::format::framework {
namespace {

constexpr TensorText kMatrix{.impl_address = 0x10,
                             .storage = 0x1000,
                             .dtype = "float",
                             .element_bytes = 4,
                             .sizes = "2,3",
                             .strides = "3,1",
                             .device_type = DeviceType::kNpu,
                             .device_index = 0};
constexpr std::string_view kMatrixText = "0x10;0x1000;float;4;2,3;3,1;20;0";

std::string text_of(const TensorText& tensor) {
  std::string text;
  append_tensor(text, tensor);
  return text;
}

std::vector<TensorText> tensors_of(std::optional<std::string_view> list,
                                   std::size_t expected_malformed = 0) {
  std::vector<TensorText> tensors;
  EXPECT_EQ(for_each_tensor(list, [&](const TensorText& tensor) { tensors.push_back(tensor); }),
            expected_malformed);
  return tensors;
}

TEST(TensorText, WritesAndReadsTheDocumentedForm) {
  EXPECT_EQ(text_of(kMatrix), kMatrixText);
  EXPECT_EQ(parse_tensor(kMatrixText), kMatrix);
}

TEST(TensorText, NullImplIsZeroAndNullStorageIsEmpty) {
  const TensorText scalar{.dtype = "long int", .element_bytes = 8};
  EXPECT_EQ(text_of(scalar), "0;;long int;8;;;0;-1");
  EXPECT_EQ(parse_tensor("0;;long int;8;;;0;-1"), scalar);
}

TEST(TensorText, RoundTripsRandomTensors) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> sizes(random() % 5);
    for (auto& size : sizes) size = static_cast<std::int64_t>(random() % 5000);
    std::string sizes_text;
    std::string strides_text;
    append_dimensions(sizes_text, sizes);
    append_contiguous_strides(strides_text, sizes);
    const auto& type = kDataTypes[random() % kDataTypes.size()];
    const TensorText tensor{.impl_address = random() >> (random() % 64),
                            .storage = random() >> (random() % 64),
                            .dtype = type.name,
                            .element_bytes = type.bytes,
                            .sizes = sizes_text,
                            .strides = strides_text,
                            .device_type = random() % 2 ? DeviceType::kNpu : DeviceType::kCpu,
                            .device_index = static_cast<std::int8_t>(random() % 16)};
    const std::string text = text_of(tensor);
    EXPECT_EQ(parse_tensor(text), tensor) << text;
  }
}

TEST(TensorText, ContiguousStridesMultiplyFromTheBack) {
  std::string strides;
  append_contiguous_strides(strides, std::vector<std::int64_t>{2, 3, 4});
  EXPECT_EQ(strides, "12,4,1");
  strides.clear();
  append_contiguous_strides(strides, std::vector<std::int64_t>{2, 0, 4});
  EXPECT_EQ(strides, "4,4,1");
}

TEST(TensorText, RejectsOtherTexts) {
  for (const char* text : {"", ";;;;;;;", "0x10;0x1000;float;4;2,3;3,1;20",
                           "0x10;0x1000;float;4;2,3;3,1;20;0;1", "zz;0x1000;float;4;2,3;3,1;20;0",
                           "0x10;0x1000;float;four;2,3;3,1;20;0", "0x10;;float;4;;;200;0"}) {
    EXPECT_FALSE(parse_tensor(text)) << text;
  }
}

TEST(TensorText, TensorInputsAreJoined) {
  std::string text;
  append_tensors(text, std::vector<TensorText>{kMatrix, kMatrix});
  EXPECT_EQ(text, std::string(kMatrixText) + ")" + std::string(kMatrixText));
  EXPECT_EQ(tensors_of(text), (std::vector<TensorText>{kMatrix, kMatrix}));
  EXPECT_TRUE(tensors_of(std::nullopt).empty());
  EXPECT_EQ(tensors_of("junk)" + std::string(kMatrixText), 1), std::vector<TensorText>{kMatrix});
}

TEST(TensorText, TensorListsKeepATrailingParenthesis) {
  using Lists = std::vector<std::vector<TensorText>>;
  const std::string w(kMatrixText);
  const std::vector<std::pair<Lists, std::string>> cases{
      {{{kMatrix, kMatrix}, {kMatrix}}, w + ")" + w + ")}" + w + ")"},
      {{{}}, ""},
      {{{kMatrix}, {}}, w + ")}"},
      {{{}, {kMatrix}}, "}" + w + ")"},
      {{{}, {}}, "}"}};
  for (const auto& [lists, expected] : cases) {
    std::string text;
    append_tensor_lists(text, lists);
    EXPECT_EQ(text, expected);
    Lists found;
    for_each_item(text, '}', [&](std::string_view list) { found.push_back(tensors_of(list)); });
    EXPECT_EQ(found, lists) << expected;
  }
}

TEST(DataType, TypesHaveNamesAndSizes) {
  EXPECT_EQ(traits_of(DataType::kBFloat16).name, "c10::BFloat16");
  EXPECT_EQ(traits_of(DataType::kInt64).bytes, 8);
}

TEST(DataType, InputKindsComeFromTheNames) {
  EXPECT_EQ(input_kind("float"), InputKind::kTensor);
  EXPECT_EQ(input_kind("TensorList"), InputKind::kTensorList);
  EXPECT_EQ(input_kind("Scalar"), InputKind::kScalar);
  EXPECT_EQ(input_kind("ScalarList"), InputKind::kScalarList);
  EXPECT_EQ(input_kind("None"), InputKind::kNone);
  EXPECT_EQ(input_kind(""), InputKind::kNone);
}

}  // namespace
}  // namespace npuprof::format::framework
