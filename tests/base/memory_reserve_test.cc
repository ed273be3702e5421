#include "base/memory_reserve.h"

#include <exception>
#include <new>

#include <gtest/gtest.h>

namespace npuprof {
namespace {

// What happens where memory is asked for and there is none: whether to try again.
bool try_again() {
  try {
    std::get_new_handler()();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Asks while an exception is on its way.
struct Asking {
  int& times;
  ~Asking() {
    while (try_again()) ++times;
  }
};

int times_while_failing() {
  int times = 0;
  try {
    const Asking asking{times};
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
  }
  return times;
}

TEST(MemoryReserve, IsGivenOnceAndOnlyWhileAnExceptionIsOnItsWay) {
  const std::new_handler before = std::get_new_handler();
  keep_memory_reserve();
  EXPECT_FALSE(try_again());
  EXPECT_EQ(times_while_failing(), 1);
  EXPECT_EQ(times_while_failing(), 0);
  keep_memory_reserve();
  keep_memory_reserve();
  EXPECT_EQ(times_while_failing(), 1);
  std::set_new_handler(before);
}

}  // namespace
}  // namespace npuprof
