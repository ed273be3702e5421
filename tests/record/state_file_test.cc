#include "record/state_file.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "temporary_directory.h"

namespace npuprof::record {
namespace {

TEST(StateFile, IsNotOpenedByAnotherThreadDuringAFork) {
  const TemporaryDirectory directory;
  StateFile file(directory.path());
  const auto path = directory.path() / format::framework::kRecorderStateFile;
  file.before_fork();
  std::atomic<bool> has_begun = false;
  std::thread writer([&] {
    has_begun = true;
    file.write({});
  });
  while (!has_begun) std::this_thread::yield();
  ::usleep(20'000);
  EXPECT_FALSE(std::filesystem::exists(path));
  file.after_fork();
  writer.join();
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace npuprof::record
