#pragma once

// The inputs of an operator in a compact binary form: cheap to put together while the operator
// waits, turned into the texts of torch.op_range by the writer.
//
//     inputs := u8 what is told (kWithDetails, kWithValues) | input*
//     input  := u8 kind | u8 data type or scalar kind | u8 number of sizes | u8 number of strides
//               | u32 tensors of a list | detail, if there are details and it is a tensor
//               | i64 sizes of a tensor, or values of a scalar or a list of them | i64 strides
//     detail := u64 address of the tensor | u64 address of its storage | u32 bytes of an element
//               | i8 device type | i8 device index | 2 bytes unused

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/framework/data_type.h"
#include "format/framework/tensor_text.h"

namespace npuprof::record {

struct TensorDetail {
  std::uint64_t impl_address = 0;
  std::uint64_t storage_address = 0;
  std::uint32_t element_bytes = 0;
  std::int8_t device_type = 0;  // format::framework::DeviceType
  std::int8_t device_index = -1;
  std::uint16_t unused = 0;
};
static_assert(sizeof(TensorDetail) == 24);

// Adds inputs one after another to the room it was given. Nothing is allocated.
class OpInputs {
 public:
  using DataType = format::framework::DataType;
  using ScalarKind = format::framework::ScalarKind;
  using Numbers = std::span<const std::int64_t>;

  static constexpr std::uint8_t kWithDetails = 1;
  static constexpr std::uint8_t kWithValues = 2;
  static constexpr std::size_t kMostValues = 8;

  // With details the tensors themselves are told, those of lists too, and what kind scalars are.
  // With values whole numbers are told, so that operations can be counted. Without room (0 bytes)
  // it has overflowed from the start.
  OpInputs(std::byte* room, std::size_t bytes, bool with_details, bool with_values = false)
      : begin_(room),
        next_(room),
        end_(room + bytes),
        with_details_(with_details),
        with_values_(with_values) {
    if (!has_room(1)) return;
    *next_++ =
        static_cast<std::byte>((with_details ? kWithDetails : 0) | (with_values ? kWithValues : 0));
  }

  bool with_details() const { return with_details_; }
  bool with_values() const { return with_values_; }

  // A tensor as input, or the next one of a list. `detail` and `strides` are ignored without
  // details.
  void tensor(DataType type, Numbers sizes, const TensorDetail& detail = {}, Numbers strides = {}) {
    put_tensor(format::framework::InputKind::kTensor, type, sizes, detail, strides);
  }
  // With details exactly `count` calls of tensor() must follow.
  void tensor_list(std::uint32_t count) {
    put_head({format::framework::InputKind::kTensorList, 0, 0, 0, with_details_ ? count : 0});
  }
  // Values are ignored unless they are wanted, and if they are more than kMostValues.
  void scalar(ScalarKind kind, Numbers value = {}) {
    put_values({format::framework::InputKind::kScalar, static_cast<std::uint8_t>(kind), 0, 0, 0},
               value);
  }
  void scalar_list(Numbers values = {}) {
    put_values({format::framework::InputKind::kScalarList, 0, 0, 0, 0}, values);
  }
  void none() { put_head({format::framework::InputKind::kNone, 0, 0, 0, 0}); }

  // More inputs than there was room for.
  bool overflowed() const { return overflowed_; }
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(begin_), static_cast<std::size_t>(next_ - begin_)};
  }

  struct Head {
    format::framework::InputKind kind;
    std::uint8_t type;
    std::uint8_t size_count;
    std::uint8_t stride_count;
    std::uint32_t list_count;
  };
  static_assert(sizeof(Head) == 8);

 private:
  bool has_room(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(end_ - next_)) overflowed_ = true;
    return !overflowed_;
  }
  void put(const void* data, std::size_t bytes) {
    if (bytes > 0) std::memcpy(next_, data, bytes);
    next_ += bytes;
  }
  void put_head(const Head& head) {
    if (has_room(sizeof(head))) put(&head, sizeof(head));
  }
  void put_values(Head head, Numbers values) {
    if (!with_values_ || values.size() > kMostValues) values = {};
    head.size_count = static_cast<std::uint8_t>(values.size());
    if (!has_room(sizeof(head) + values.size_bytes())) return;
    put(&head, sizeof(head));
    put(values.data(), values.size_bytes());
  }
  void put_tensor(format::framework::InputKind kind, DataType type, Numbers sizes,
                  const TensorDetail& detail, Numbers strides) {
    constexpr std::size_t kMostSizes = 64;  // As in PyTorch.
    sizes = sizes.first(sizes.size() < kMostSizes ? sizes.size() : kMostSizes);
    if (!with_details_) strides = {};
    strides = strides.first(strides.size() < kMostSizes ? strides.size() : kMostSizes);
    const Head head{kind, static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(sizes.size()),
                    static_cast<std::uint8_t>(strides.size()), 0};
    if (!has_room(sizeof(head) + sizeof(detail) + sizes.size_bytes() + strides.size_bytes()))
      return;
    put(&head, sizeof(head));
    if (with_details_) put(&detail, sizeof(detail));
    put(sizes.data(), sizes.size_bytes());
    put(strides.data(), strides.size_bytes());
  }

  std::byte* begin_;
  std::byte* next_;
  std::byte* end_;
  bool with_details_;
  bool with_values_;
  bool overflowed_ = false;
};

// One input, or one tensor of a list.
struct RecordedInput {
  OpInputs::Head head{};
  TensorDetail detail;
  std::vector<std::int64_t> sizes;  // Of a tensor; values of anything else.
  std::vector<std::int64_t> strides;
};

// Reads inputs one after another.
class InputReader {
 public:
  explicit InputReader(std::string_view inputs);

  bool with_details() const { return (told_ & OpInputs::kWithDetails) != 0; }
  bool with_values() const { return (told_ & OpInputs::kWithValues) != 0; }
  bool at_end() const { return rest_.empty(); }
  // False at bytes that are not well-formed. A list is followed by its tensors.
  bool next(RecordedInput& input);

 private:
  template <typename T>
  bool take(T& value);
  bool take(std::size_t count, std::vector<std::int64_t>& numbers);

  std::uint8_t told_ = 0;
  std::string_view rest_;
};

// The texts of torch.op_range.
struct OpInputTexts {
  std::string dtypes;
  std::string shapes;
  std::string tensors;
  std::string tensor_lists;
  std::string scalars;
  bool has_inputs = false;
  bool has_tensors = false;
  bool has_lists = false;
  bool has_scalars = false;
};

// Replaces `texts`. Bytes that are not well-formed end the list.
void make_input_texts(std::string_view inputs, OpInputTexts& texts);

}  // namespace npuprof::record
