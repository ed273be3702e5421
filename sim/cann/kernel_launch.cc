// Kernels described by the program, and those of operators that it names.

#include <algorithm>

#include "include/npuprof/npusim.h"
#include "sim/cann/kernel_descriptions.h"
#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)

constexpr std::int64_t kBetweenLaunchesNs = 200;

// When the host was done with it.
std::int64_t launch(State& state, DeviceState& device, StreamNumber stream,
                    const NpusimKernel& kernel, std::uint32_t thread, std::int64_t begin_ns) {
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
                   [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     return {.end_ns = launch(State::get(), device, id, *kernel, thread, begin_ns)};
                   });
}

aclError npusimRunPrimitiveAt(const char* primitive, const NpusimTensor* inputs,
                              std::uint32_t input_count, std::uint32_t thread,
                              std::int64_t begin_ns, std::int64_t* end_ns, std::uint32_t* kernels) {
  if (primitive == nullptr || (inputs == nullptr && input_count > 0)) {
    return NPUPROF_ACL_INVALID_PARAM;
  }
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    Lock lock(state.mutex);
    const auto stream = state.stream(nullptr);
    if (!stream) return NPUPROF_ACL_RT_CONTEXT_NULL;
    state.wait_ready(lock, *stream->device);
    std::int64_t now_ns = begin_ns;
    std::uint32_t count = 0;
    for (const NpusimKernel& kernel :
         kernels_of_primitive(*stream->device, primitive, {inputs, input_count})) {
      if (!is_valid(kernel)) continue;
      ++count;
      const std::int64_t virtual_ns = std::max<std::int64_t>(state.to_virtual_ns(now_ns), 0);
      const std::int64_t done_ns =
          launch(state, *stream->device, stream->id, kernel, thread, virtual_ns);
      now_ns += done_ns - virtual_ns + kBetweenLaunchesNs;
    }
    if (end_ns != nullptr && count > 0) *end_ns = now_ns;
    if (kernels != nullptr) *kernels = count;
    return NPUPROF_ACL_SUCCESS;
  });
}

int npusimIsSimulated() { return 1; }

}  // extern "C"
