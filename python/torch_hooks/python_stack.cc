#include "python_stack.h"

#include <array>
#include <span>

#include "call_tracer.h"
#include "format/framework/python_tracer.h"
#include "interpreter_frames.h"

namespace npuprof::torch_hooks {
namespace {

constexpr std::size_t kMostFrames = 256;

using Places = std::array<CodePlace, kMostFrames>;

std::uint64_t mix(std::uint64_t hash, const CodePlace& place) {
  hash ^= reinterpret_cast<std::uintptr_t>(place.code) +
          (static_cast<std::uint64_t>(static_cast<unsigned>(place.offset)) << 48);
  hash *= 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

std::uint64_t hash_of_frames(std::span<const CodePlace> stack) {
  std::uint64_t hash = stack.size();
  for (std::size_t i = stack.size(); i > 0; --i) hash = mix(hash, stack[i - 1]);
  return hash;
}

std::span<const CodePlace> stack_of_this_thread(Places& places) {
  return {places.data(), read_stack(places.data(), places.size())};
}

// What stands for the stack of the calling thread; 0 if it runs no Python code. Only the innermost
// frame moves on while no function is entered or left, so the others are read once.
std::uint64_t stack_hash(ThreadState& thread) {
  CodePlace innermost;
  if (read_stack(&innermost, 1) == 0) return 0;
  if (thread.callers_of_frame != thread.python_frame) {
    Places places;
    thread.callers_hash = hash_of_frames(stack_of_this_thread(places).subspan(1));
    thread.callers_of_frame = thread.python_frame;
  }
  return mix(thread.callers_hash, innermost);
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
  const std::uint64_t hash = stack_hash(thread);
  if (hash == 0) return;
  if (thread.stack_epoch != buffer.epoch()) {
    thread.stack_numbers.clear();
    thread.stack_epoch = buffer.epoch();
  }
  const auto known = thread.stack_numbers.find(hash);
  if (known != thread.stack_numbers.end()) {
    return buffer.attach_defined_text(OpRangeField::kStack, known->second);
  }
  Places places;
  const std::string text = text_of(stack_of_this_thread(places));
  const auto number = static_cast<std::uint32_t>(thread.stack_numbers.size());
  if (number == record::ThreadBuffer::kMostTexts) {
    buffer.attach_text(OpRangeField::kStack, text);
  } else if (buffer.define_text(number, text)) {
    thread.stack_numbers.emplace(hash, number);
    buffer.attach_defined_text(OpRangeField::kStack, number);
  }
}

std::string python_stack_text(const ThreadState& thread) {
  if (!is_traced(thread)) return {};
  Places places;
  return text_of(stack_of_this_thread(places));
}

}  // namespace npuprof::torch_hooks
