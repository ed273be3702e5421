// Kernels described by the program.

#include "include/npuprof/npusim.h"
#include "sim/cann/kernel_descriptions.h"
#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)

}  // namespace

extern "C" {

aclError npusimLaunchKernel(const NpusimKernel* kernel, aclrtStream stream) {
  if (kernel == nullptr || !is_valid(*kernel)) return NPUPROF_ACL_INVALID_PARAM;
  return on_stream(
      stream,
      [&](DeviceState& device, StreamId id, std::uint32_t thread,
          std::int64_t begin_ns) -> Outcome {
        State& state = State::get();
        const KernelTemplate* const known = known_kernel(device, *kernel);
        if (state.op_args.is_on() && has_core_counters(static_cast<KernelCore>(kernel->core))) {
          state.op_args.put(key_of(*kernel), description_of(*kernel));
        }
        const AclCall call = state.call_named(device, kernel->call);
        return {.end_ns = device.npu.kernels()
                              .launch_operator(thread, id, call, {&known, 1}, begin_ns)
                              .host_end_ns};
      });
}

int npusimIsSimulated() { return 1; }

}  // extern "C"
