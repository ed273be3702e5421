#include "format/host/variable.h"

namespace npuprof::format::host {

void append_capture_op(std::vector<std::byte>& out, CaptureOpHead head,
                       std::span<const Tensor> tensors) {
  const auto count = static_cast<std::uint32_t>(tensors.size());
  head.header.payload_length = CaptureOpInfo::payload_length(count);
  head.tensor_count = count;
  const Bytes fixed = bytes_of(head);
  out.insert(out.end(), fixed.begin(), fixed.end());
  const auto variable = std::as_bytes(tensors);
  out.insert(out.end(), variable.begin(), variable.end());
}

// The size of the record at position_, or 0 if there is no whole one.
std::size_t CaptureOpReader::whole_record_bytes() const {
  const std::size_t left = file_.size() - position_;
  if (left < sizeof(CaptureOpHead)) return 0;
  const auto head = load<CaptureOpHead>(file_.data() + position_);
  const RecordKind& kind = CaptureOpInfo::kVariableKind;
  if (head.header.magic != kMagic || head.header.level != kind.level ||
      head.header.type != kind.type) {
    return 0;
  }
  const std::size_t size = sizeof(RecordHeader) + std::size_t{head.header.payload_length};
  const std::size_t needed =
      sizeof(CaptureOpHead) + std::size_t{head.tensor_count} * sizeof(Tensor);
  return size >= needed && size <= left ? size : 0;
}

bool CaptureOpReader::next() {
  while (position_ < file_.size()) {
    const std::size_t size = whole_record_bytes();
    if (size == 0) {
      ++position_;
      ++lost_bytes_;
      continue;
    }
    record_ = file_.subspan(position_, size);
    head_ = load<CaptureOpHead>(record_.data());
    // Tensor is a Record: it has no alignment, so the bytes can be viewed where they are.
    tensors_ = {reinterpret_cast<const Tensor*>(record_.data() + sizeof(CaptureOpHead)),
                std::size_t{head_.tensor_count}};
    position_ += size;
    return true;
  }
  return false;
}

}  // namespace npuprof::format::host
