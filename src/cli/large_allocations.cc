// Columns of a trace are large arrays that are filled once from front to back. On pages of 4 KB the
// kernel would be entered for each of them; so large arrays ask for large pages. This replaces
// operator new for the whole program; libraries leave it to the programs that use them. Not
// compiled with sanitizers, which have an operator new of their own.

#include <cstdlib>
#include <new>

#include <malloc.h>
#include <sys/mman.h>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Smaller ones would waste too much of their last page.
constexpr std::size_t kLargeAllocation = 2 * kLargePage;

// Each large array has a mapping of its own, which goes back to the system with it. Left alone,
// malloc raises this limit with the first one that is freed and then keeps holes of tens of MB.
[[maybe_unused]] const int kLimitSet = ::mallopt(M_MMAP_THRESHOLD, kLargeAllocation);

void* allocate(std::size_t bytes) noexcept {
  if (bytes < kLargeAllocation) [[likely]]
    return std::malloc(bytes);
  void* memory = nullptr;
  if (::posix_memalign(&memory, kLargePage, bytes) != 0) return nullptr;
  // Only a hint: without large pages everything works as before.
  (void)::madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
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
