#include "format/device/task_identity.h"

namespace npuprof::format::device {
namespace {

constexpr std::uint16_t kTaskBitsMark = 0x1000;
constexpr std::uint16_t kSwapMark = 0x2000;
constexpr std::uint16_t kExpandedSwapMark = 0x8000;
constexpr std::uint16_t kStreamMask = kStreamLimit - 1;
constexpr std::uint16_t kExpandedStreamMask = kExpandedStreamLimit - 1;

// Place holders and event records always carry the stream where it belongs.
bool never_swapped(std::uint8_t sqe_type) { return sqe_type == 3 || sqe_type == 4; }

TaskIdentity identity(unsigned stream, unsigned task) {
  return {static_cast<std::uint16_t>(stream), static_cast<std::uint16_t>(task)};
}

RawTaskIdentity raw_words(unsigned stream, unsigned task) {
  return {static_cast<std::uint16_t>(stream), static_cast<std::uint16_t>(task)};
}

std::optional<RawTaskIdentity> encode_normal(TaskIdentity id, RawIdentityForm form) {
  if (id.stream >= kStreamLimit) return std::nullopt;
  switch (form) {
    case RawIdentityForm::kPlain:
      return raw_words(id.stream, id.task);
    case RawIdentityForm::kTaskBitsInStream:
      return raw_words(kTaskBitsMark | id.stream | (id.task & 0xE000), id.task & 0x1FFF);
    case RawIdentityForm::kSwapped:
      return raw_words(kSwapMark | (id.task & 0x0FFF), id.stream | (id.task & 0xF000));
  }
  return std::nullopt;
}

}  // namespace

TaskIdentity decode_task_identity(RawTaskIdentity raw, StreamMode mode, std::uint8_t sqe_type) {
  const unsigned s = raw.stream;
  const unsigned t = raw.task;
  if (mode == StreamMode::kExpanded) {
    if (never_swapped(sqe_type) || (s & kExpandedSwapMark) == 0) {
      return identity(s & kExpandedStreamMask, t);
    }
    return identity(t & kExpandedStreamMask, (t & 0x8000) | (s & 0x7FFF));
  }
  if ((s & kTaskBitsMark) != 0) return identity(s & kStreamMask, (t & 0x1FFF) | (s & 0xE000));
  if ((s & kSwapMark) != 0) return identity(t & kStreamMask, (s & 0x0FFF) | (t & 0xF000));
  return identity(s & kStreamMask, t);
}

std::optional<RawTaskIdentity> encode_task_identity(TaskIdentity id, StreamMode mode,
                                                    std::uint8_t sqe_type, RawIdentityForm form) {
  if (mode == StreamMode::kNormal) return encode_normal(id, form);
  if (id.stream >= kExpandedStreamLimit) return std::nullopt;
  switch (form) {
    case RawIdentityForm::kPlain:
      return raw_words(id.stream, id.task);
    case RawIdentityForm::kTaskBitsInStream:
      return std::nullopt;
    case RawIdentityForm::kSwapped:
      if (never_swapped(sqe_type)) return std::nullopt;
      return raw_words(kExpandedSwapMark | (id.task & 0x7FFF), id.stream | (id.task & 0x8000));
  }
  return std::nullopt;
}

}  // namespace npuprof::format::device
