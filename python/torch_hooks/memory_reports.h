#pragma once

// Allocations of PyTorch's host allocator. PyTorch reports them to an object that each thread keeps
// in a slot of its own, and that threads hand on to those that work for them (autograd). PyTorch's
// profilers use the same slot and refuse to start if it is taken; so ours gives way to them.

namespace npuprof::torch_hooks {

void start_memory_reports();
void stop_memory_reports();
// Whether memory is recorded now; of a device that is played here, too.
bool memory_is_recorded();

// Takes the slot of the calling thread if it is free; called again and again, and cheap.
void take_memory_slot();
// Leaves the slot of the calling thread.
void leave_memory_slot();

// Whether another profiler has had the slot of a thread whose memory was to be recorded, since the
// last question.
bool memory_slot_was_taken();

}  // namespace npuprof::torch_hooks
