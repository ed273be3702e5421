// Columns of a trace are large arrays that are filled once from front to back. On pages of 4 KB the
// kernel would be entered for each of them, so large arrays ask for large pages, and in analyses so
// does the heap with the smaller ones. This replaces operator new for the whole program; libraries
// leave it to the programs that use them. Not compiled with sanitizers, which have an operator new
// of their own.

#include "cli/large_allocations.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Smaller ones would waste too much of their last page.
constexpr std::size_t kLargeAllocation = 2 * kLargePage;
// What is smaller hardly makes the heap grow.
constexpr std::size_t kMediumAllocation = std::size_t{64} << 10;

// Each large array has a mapping of its own, which goes back to the system with it. Left alone,
// malloc raises this limit with the first one that is freed and then keeps holes of tens of MB.
[[maybe_unused]] const int kLimitSet = ::mallopt(M_MMAP_THRESHOLD, kLargeAllocation);

// Only a hint: without large pages everything works as before.
void ask_for_large_pages(std::uintptr_t begin, std::uintptr_t end) {
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  if (first + kLargePage > end) return;
  (void)::madvise(reinterpret_cast<void*>(first), (end - first) / kLargePage * kLargePage,
                  MADV_HUGEPAGE);
}

// The heap asks for large pages where it has grown.
void* allocate_in_heap(std::size_t bytes) noexcept {
  void* const memory = std::malloc(bytes);
  thread_local std::uintptr_t known_end = 0;
  const auto heap_end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  if (heap_end > known_end) {
    ask_for_large_pages(reinterpret_cast<std::uintptr_t>(memory), heap_end);
  }
  known_end = heap_end;
  return memory;
}

void* allocate(std::size_t bytes) noexcept {
  if (bytes < kMediumAllocation) [[likely]]
    return std::malloc(bytes);
  if (bytes < kLargeAllocation) {
    if (!npuprof::cli::medium_arrays_on_large_pages) return std::malloc(bytes);
    if (bytes < kLargePage) return allocate_in_heap(bytes);
  }
  void* memory = nullptr;
  if (::posix_memalign(&memory, kLargePage, bytes) != 0) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  ask_for_large_pages(begin, begin + bytes);
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const memory = allocate(bytes == 0 ? 1 : bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
