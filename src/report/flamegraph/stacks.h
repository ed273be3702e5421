#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "base/thread_pool.h"
#include "trace/trace.h"

namespace npuprof::report {

enum class StackMetric : std::uint8_t {
  kSelfCpuTime,  // Of the operator on the host, without those it calls.
  kSelfNpuTime,  // Of the kernels that the operator itself launched.
};

// How many operators have a call stack.
std::size_t operators_with_stack(const trace::Trace& trace);

// The form that flame graph programs read: a line for each operator that has a call stack and took
// a microsecond at least, in order of start: frames from the outermost to the innermost joined by
// ';', a blank, whole microseconds.
Status write_stacks(const trace::Trace& trace, StackMetric metric,
                    const std::filesystem::path& path, ThreadPool& pool);

}  // namespace npuprof::report
