#pragma once

// The inputs of an operator in a compact binary form: cheap to put together while the operator
// waits, turned into the texts of torch.op_range by the writer.
//
//     inputs := u8 with details | input*
//     input  := u8 kind | u8 data type or scalar kind | u8 number of sizes | u8 number of strides
//               | u32 tensors of a list | detail, if there are details and it is a tensor
//               | i64 sizes | i64 strides
//     detail := u64 address of the tensor | u64 address of its storage | u32 bytes of an element
//               | i8 device type | i8 device index | 2 bytes unused

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

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

  // With details the tensors themselves are told, those of lists too, and what kind scalars are.
  OpInputs(std::byte* room, std::size_t bytes, bool with_details)
      : begin_(room), next_(room + 1), end_(room + bytes), with_details_(with_details) {
    room[0] = static_cast<std::byte>(with_details ? 1 : 0);
  }

  bool with_details() const { return with_details_; }

  // A tensor as input, or the next one of a list. `detail` and `strides` are ignored without
  // details.
  void tensor(DataType type, Numbers sizes, const TensorDetail& detail = {}, Numbers strides = {}) {
    put_tensor(format::framework::InputKind::kTensor, type, sizes, detail, strides);
  }
  // With details exactly `count` calls of tensor() must follow.
  void tensor_list(std::uint32_t count) {
    put_head({format::framework::InputKind::kTensorList, 0, 0, 0, with_details_ ? count : 0});
  }
  void scalar(ScalarKind kind) {
    put_head({format::framework::InputKind::kScalar, static_cast<std::uint8_t>(kind), 0, 0, 0});
  }
  void scalar_list() { put_head({format::framework::InputKind::kScalarList, 0, 0, 0, 0}); }
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
  bool overflowed_ = false;
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
