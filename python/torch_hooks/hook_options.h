#pragma once

namespace npuprof::torch_hooks {

// What is recorded of PyTorch. Aligned so that threads can read it while it is replaced.
struct alignas(8) HookOptions {
  bool operators = false;  // Nothing of the host program without it.
  bool shapes = false;
  bool memory = false;
  bool stacks = false;
  bool modules = false;
  bool flops = false;

  // Operations are counted by the shapes of inputs, which are then recorded too.
  bool inputs() const { return shapes || flops; }
  bool traces_python() const { return operators && (stacks || modules); }
  // Tensors themselves are told, so that memory can be attributed to what it holds.
  bool details() const { return shapes && memory && (stacks || modules); }
};

}  // namespace npuprof::torch_hooks
