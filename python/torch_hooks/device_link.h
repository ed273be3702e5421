#pragma once

// Where the hooks meet a device of PyTorch that another module plays (npuprof._sim). Modules of
// Python do not link each other: `_torch` shows a DeviceLink in a capsule, and the other module
// registers its device there. Without such a module the hooks record, and nothing else.

#include <cstdint>

namespace at {
struct RecordFunction;
}

namespace npuprof::torch_hooks {

// Is told of operators that nest, with their inputs when they begin and their outputs when they
// end, whether they are recorded or not.
struct OperatorListener {
  void (*enter)(const at::RecordFunction& function) = nullptr;
  void (*leave)(const at::RecordFunction& function) = nullptr;
};

// What the device does for a recording. Called with the interpreter's lock.
struct PlayedDevice {
  // A recording will begin.
  void (*prepare)() = nullptr;
  // It begins, of the device too or not, with attributes of operators or not; who is told of them.
  OperatorListener (*start)(bool records_device, bool with_attributes) = nullptr;
  // It ends: no operators will be told, but what they launched is still recorded.
  void (*finish)() = nullptr;
};

// What the device asks of the hooks.
struct DeviceLink {
  void (*register_device)(const PlayedDevice& device);
  // Whether this process was forked off after the hooks were first used: libraries with threads and
  // locks of their own cannot be used in it.
  bool (*is_forked_child)();
  // Whether what the calling thread does for operators is to be recorded.
  bool (*operators_are_recorded)();
  bool (*memory_is_recorded)();
  // Of the calling thread: while it is not 0, memory of the host is not the program's.
  std::uint32_t& (*device_work)();
};

// Attribute of the module, and what the capsule in it is called.
inline constexpr const char* kDeviceLinkAttribute = "device_link";
inline constexpr const char* kDeviceLinkName = "npuprof._torch.device_link";

}  // namespace npuprof::torch_hooks
