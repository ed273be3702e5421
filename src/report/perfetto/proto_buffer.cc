#include "report/perfetto/proto_buffer.h"

#include <algorithm>
#include <utility>

namespace npuprof::report {

void ProtoBuffer::grow(std::size_t bytes) {
  const std::size_t capacity = std::max(capacity_ * 2, size_ + bytes);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

}  // namespace npuprof::report
