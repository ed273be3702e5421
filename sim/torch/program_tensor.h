#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/framework/data_type.h"
#include "format/framework/tensor_text.h"
#include "sim/model/element_type.h"

namespace npuprof::sim {

// The framework's name for an element type of the device.
format::framework::DataType framework_type(ElementType type);

// A contiguous tensor of the simulated program, ready to be written as text.
class ProgramTensor {
 public:
  // `storage` is the address that the allocator gave.
  ProgramTensor(std::uint64_t impl_address, std::uint64_t storage, format::framework::DataType type,
                std::span<const std::int64_t> sizes, std::int8_t device_index);

  // Views into this tensor.
  format::framework::TensorText text() const;

  std::uint64_t storage() const { return storage_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::uint64_t impl_address_;
  std::uint64_t storage_;
  format::framework::DataType type_;
  std::string sizes_;
  std::string strides_;
  std::int64_t bytes_;
  std::int8_t device_index_;
};

}  // namespace npuprof::sim
