#include "python_stack.h"

#include <array>
#include <span>

#include "format/framework/python_tracer.h"
#include "python_frames.h"
#include "python_tracer.h"

namespace npuprof::torch_hooks {
namespace {

constexpr std::size_t kMostFrames = 256;

using Places = std::array<CodePlace, kMostFrames>;

std::uint64_t hash_of(std::span<const CodePlace> stack) {
  std::uint64_t hash = stack.size();
  for (const CodePlace& place : stack) {
    hash ^= reinterpret_cast<std::uintptr_t>(place.code) +
            (static_cast<std::uint64_t>(static_cast<unsigned>(place.offset)) << 48);
    hash *= 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

std::string text_of(std::span<const CodePlace> stack) {
  std::string text;
  for (const CodePlace& place : stack) {
    if (!text.empty()) text += ';';
    format::framework::append_python_frame(
        text, {utf8_of(place.code->co_filename), line_of(place), utf8_of(place.code->co_name)});
  }
  return text;
}

}  // namespace

void attach_python_stack(ThreadState& thread, record::ThreadBuffer& buffer) {
  using record::OpRangeField;
  if (!is_traced(thread)) return;
  Places places;
  const std::span stack(places.data(), read_stack(places.data(), places.size()));
  if (stack.empty()) return;
  if (thread.stack_epoch != buffer.epoch()) {
    thread.stack_numbers.clear();
    thread.stack_epoch = buffer.epoch();
  }
  const auto number = static_cast<std::uint32_t>(thread.stack_numbers.size());
  const std::uint64_t hash = hash_of(stack);
  const auto known = thread.stack_numbers.find(hash);
  if (known != thread.stack_numbers.end()) {
    buffer.attach_defined_text(OpRangeField::kStack, known->second);
  } else if (number == record::ThreadBuffer::kMostTexts) {
    buffer.attach_text(OpRangeField::kStack, text_of(stack));
  } else if (buffer.define_text(number, text_of(stack))) {
    thread.stack_numbers.emplace(hash, number);
    buffer.attach_defined_text(OpRangeField::kStack, number);
  }
}

std::string python_stack_text(const ThreadState& thread) {
  if (!is_traced(thread)) return {};
  Places places;
  return text_of({places.data(), read_stack(places.data(), places.size())});
}

}  // namespace npuprof::torch_hooks
