#pragma once

// A step of training, made by hand, of which it is known what each block of memory is for.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "format/framework/op_range.h"
#include "format/framework/param_tensor_info.h"
#include "format/framework/tensor_text.h"
#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/python_calls.h"

namespace npuprof::analyze::testing {

// The address of each block is also its size, to tell them apart.
enum Block : std::uint16_t {
  kParameter = 1 << 4,
  kMomentum = 1 << 5,
  kData = 1 << 6,
  kScratch = 1 << 7,
  kHidden = 1 << 8,
  kLoss = 1 << 9,
  kLossGradient = 1 << 10,
  kParameterGradient = 1 << 11,
  kPlain = 1 << 12,
};

// In microseconds.
class TrainingTrace {
 public:
  static constexpr std::uint32_t kMain = 1;
  static constexpr std::uint32_t kEngine = 2;

  trace::Trace& operator*() { return *trace_; }
  trace::Trace* operator->() { return &*trace_; }

  void op(std::uint32_t tid, int start, int end, std::string_view name,
          std::initializer_list<Block> inputs, bool backward = false) {
    const std::uint32_t row = trace_.add_op(tid, us(start), us(end), name);
    auto& ops = trace_->framework_ops();
    ops.scope[row] = backward ? 1 : 0;
    std::string dtypes;
    std::string tensors;
    for (const Block block : inputs) {
      if (!dtypes.empty()) dtypes += ';';
      if (!tensors.empty()) tensors += ')';
      dtypes += "signed char";
      format::framework::append_tensor(tensors, tensor(block));
    }
    ops.has_inputs[row] = 1;
    ops.input_dtypes[row] = trace_->strings.intern(dtypes);
    ops.input_tensors[row] = trace_->strings.intern(tensors);
  }
  void allocate(int time, std::uint64_t address, std::uint32_t tid = kMain,
                std::uint8_t component = 0) {
    memory(0, time, address, static_cast<std::int64_t>(address), tid, component);
  }
  void free(int time, std::uint64_t address, std::uint32_t tid = kMain,
            std::uint8_t component = 0) {
    memory(1, time, address, -static_cast<std::int64_t>(address), tid, component);
  }
  void memory(std::uint8_t kind, int time, std::uint64_t address, std::int64_t bytes,
              std::uint32_t tid, std::uint8_t component) {
    const std::uint32_t row = trace_.add_memory(kind, us(time), address, tid);
    trace_->memory_events().size_bytes[row] = bytes;
    trace_->memory_events().component[row] = component;
  }

  // A module and an optimizer, told of when they are called first.
  void name_parameters() {
    std::string text;
    format::framework::append_module_parameter(text,
                                               {.name = "weight", .tensor = tensor(kParameter)});
    add_names(71, 18, false, text);
    std::string states;
    format::framework::append_optimizer_state(states,
                                              {.name = "momentum", .tensor = tensor(kMomentum)});
    text.clear();
    format::framework::append_optimizer_parameter(text,
                                                  {.tensor = tensor(kParameter), .states = states});
    add_names(72, 69, true, text);
  }

  // Data arrives, forward, backward on the engine's thread, update.
  void run_step() {
    allocate(5, kPlain);
    op(kMain, 10, 12, "aten::empty", {});
    allocate(11, kData);
    op(kMain, 13, 14, "aten::copy_", {kData});
    op(kMain, 20, 30, "aten::linear", {kData, kParameter});
    op(kMain, 21, 29, "aten::addmm", {kData, kParameter});
    allocate(22, kScratch);
    op(kMain, 23, 24, "aten::mul_", {kScratch});
    free(25, kScratch);
    allocate(26, kHidden);
    op(kMain, 32, 36, "aten::mse_loss", {kHidden, kData});
    allocate(33, kLoss);
    op(kEngine, 40, 50, "autograd::engine::evaluate_function: MseLossBackward0", {});
    op(kEngine, 41, 49, "MseLossBackward0", {kLoss}, true);
    op(kEngine, 42, 48, "aten::mse_loss_backward", {kLoss, kHidden, kData});
    allocate(43, kLossGradient, kEngine);
    op(kEngine, 52, 60, "AddmmBackward0", {kLossGradient}, true);
    op(kEngine, 53, 58, "aten::mm", {kData, kLossGradient});
    allocate(54, kParameterGradient, kEngine);
    free(59, kLossGradient, kEngine);
    op(kEngine, 62, 66, "torch::autograd::AccumulateGrad", {kParameterGradient}, true);
    op(kEngine, 63, 64, "aten::detach", {kParameterGradient});
    free(67, kHidden);
    free(68, kLoss);
    op(kMain, 70, 72, "aten::add_", {kMomentum, kParameterGradient});
    op(kMain, 73, 75, "aten::add_", {kParameter, kMomentum});
    free(80, kData);
  }

  void link() { link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops())); }

  static std::int64_t us(int time) { return std::int64_t{1'000} * time; }

 private:
  static format::framework::TensorText tensor(Block block) {
    static constexpr std::string_view kSizes[] = {"16",  "32",   "64",   "128", "256",
                                                  "512", "1024", "2048", "4096"};
    int place = 0;
    while (1 << (place + 4) != block) ++place;
    return {.impl_address = 1,
            .storage = block,
            .dtype = "signed char",
            .element_bytes = 1,
            .sizes = kSizes[place],
            .strides = "1",
            .device_type = format::framework::DeviceType::kNpu,
            .device_index = 0};
  }
  void add_names(std::uint64_t key, int time, bool is_optimizer, std::string_view text) {
    trace_->parameter_tensors().key.push_back(key);
    trace_->parameter_tensors().is_optimizer.push_back(is_optimizer ? 1 : 0);
    trace_->parameter_tensors().text.push_back(trace_->strings.intern(text));
    auto& calls = trace_->python_calls();
    resize_rows(calls, calls.size() + 1);
    calls.key.back() = key;
    calls.start_ns.back() = us(time);
  }

  link::testing::FrameworkTrace trace_;
};

}  // namespace npuprof::analyze::testing
