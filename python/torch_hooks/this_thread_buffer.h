#pragma once

#include "npuprof/record.h"
#include "record/thread_buffer.h"

namespace npuprof::torch_hooks {

// The ring that the calling thread records into; null while nothing is recorded.
inline record::ThreadBuffer* this_thread_buffer() {
  return static_cast<record::ThreadBuffer*>(npuprof_thread_buffer());
}

}  // namespace npuprof::torch_hooks
