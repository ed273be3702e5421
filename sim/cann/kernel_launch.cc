// Kernels described by the program.

#include <algorithm>

#include "include/npuprof/npusim.h"
#include "sim/cann/kernel_descriptions.h"
#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)

// When the host was done with it.
std::int64_t launch(State& state, DeviceState& device, StreamId stream, const NpusimKernel& kernel,
                    std::uint32_t thread, std::int64_t begin_ns) {
  const KernelTemplate* const known = known_kernel(device, kernel);
  if (state.op_args.is_on() && has_core_counters(static_cast<KernelCore>(kernel.core))) {
    state.op_args.put(key_of(kernel), description_of(kernel));
  }
  const AclCall call = state.call_named(device, kernel.call);
  return device.npu.kernels()
      .launch_operator(thread, stream, call, {&known, 1}, begin_ns)
      .host_end_ns;
}

}  // namespace

extern "C" {

aclError npusimLaunchKernel(const NpusimKernel* kernel, aclrtStream stream) {
  if (kernel == nullptr || !is_valid(*kernel)) return NPUPROF_ACL_INVALID_PARAM;
  return on_stream(stream,
                   [&](DeviceState& device, StreamId id, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     return {.end_ns = launch(State::get(), device, id, *kernel, thread, begin_ns)};
                   });
}

aclError npusimLaunchKernelAt(const NpusimKernel* kernel, std::uint32_t thread,
                              std::int64_t begin_ns, std::int64_t* end_ns) {
  if (kernel == nullptr || !is_valid(*kernel)) return NPUPROF_ACL_INVALID_PARAM;
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    Lock lock(state.mutex);
    const auto stream = state.stream(nullptr);
    if (!stream) return NPUPROF_ACL_RT_CONTEXT_NULL;
    state.wait_ready(lock, *stream->device);
    const std::int64_t virtual_ns = std::max<std::int64_t>(state.to_virtual_ns(begin_ns), 0);
    const std::int64_t done_ns =
        launch(state, *stream->device, stream->id, *kernel, thread, virtual_ns);
    if (end_ns != nullptr) *end_ns = begin_ns + (done_ns - virtual_ns);
    return NPUPROF_ACL_SUCCESS;
  });
}

int npusimIsSimulated() { return 1; }

}  // extern "C"
