#include "base/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

namespace npuprof {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{1} << 20;

std::atomic<void*> g_reserve{nullptr};

// Returns if it is worth to try again.
void give_reserve() {
  void* const reserve = std::uncaught_exceptions() > 0 ? g_reserve.exchange(nullptr) : nullptr;
  if (reserve == nullptr) throw std::bad_alloc();
  std::free(reserve);
}

}  // namespace

void keep_memory_reserve() {
  std::set_new_handler(give_reserve);
  void* const reserve = std::malloc(kReserveBytes);
  void* none = nullptr;
  if (!g_reserve.compare_exchange_strong(none, reserve)) std::free(reserve);  // It was not used.
}

}  // namespace npuprof
