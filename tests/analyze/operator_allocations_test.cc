#include "analyze/operator_allocations.h"

#include <gmock/gmock.h>

#include "link/framework_trace.h"
#include "trace/framework/memory_events.h"

namespace npuprof::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using trace::kNone;

class HostBlocksTest : public ::testing::Test {
 protected:
  // Host memory is allocated and freed by events of one kind.
  std::uint32_t add(std::int64_t time_ns, std::uint64_t address, std::int64_t bytes) {
    const std::uint32_t row = trace_.add_memory(0, time_ns, address);
    trace_->memory_events().size_bytes[row] = bytes;
    trace_->memory_events().device_type[row] = 0;
    return row;
  }
  link::testing::FrameworkTrace trace_;
};

TEST_F(HostBlocksTest, ReleasesBelongToTheAllocationBefore) {
  const auto second = add(20, 64, 100);
  const auto of_second = add(30, 64, -100);
  const auto first = add(10, 128, 40);
  const auto third = add(40, 64, 8);
  const auto of_third = add(50, 64, -8);
  trace_.add_memory(0, 15, 192);  // Of a device.
  EXPECT_THAT(host_blocks(trace_->memory_events()),
              ElementsAre(FieldsAre(first, kNone), FieldsAre(second, of_second),
                          FieldsAre(third, of_third)));
}

TEST_F(HostBlocksTest, AReleaseWithoutAllocationIsLeftOut) {
  add(10, 64, -100);
  const auto block = add(20, 64, 100);
  const auto release = add(30, 64, -100);
  add(40, 64, -100);
  EXPECT_THAT(host_blocks(trace_->memory_events()), ElementsAre(FieldsAre(block, release)));
}

}  // namespace
}  // namespace npuprof::analyze
