#pragma once

#include <cstdint>
#include <optional>

namespace npuprof::sim {

// What a simulated program asked the framework's profiler to record.
struct FrameworkOptions {
  bool record_shapes = true;
  bool profile_memory = false;
  bool with_stack = false;
  bool with_flops = false;
  bool with_modules = false;
  std::optional<double> gc_detect_threshold_ms;
  bool task_queue = true;  // Off: operators call the device library themselves, no queue marks.
  std::uint64_t process_id = 0;

  bool python_calls() const { return with_stack || with_modules; }
  // Addresses of tensors, parameters of modules and optimizers.
  bool tensor_details() const { return record_shapes && profile_memory && python_calls(); }
};

}  // namespace npuprof::sim
