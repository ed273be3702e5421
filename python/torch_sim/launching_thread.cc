#include "launching_thread.h"

namespace npuprof::torch_sim {

LaunchingThread& launching_thread() {
  thread_local LaunchingThread thread;
  return thread;
}

}  // namespace npuprof::torch_sim
