#include "cann/client.h"

#include <filesystem>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include "cann/simulated.h"
#include "temporary_directory.h"

namespace npuprof::cann {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::simulated_client;
using testing::Variable;

// A folder as ASCEND_HOME_PATH names it, in which the main library is `library`.
class Installation {
 public:
  explicit Installation(const std::string& library) {
    std::filesystem::create_directory(directory_ / "lib64");
    std::filesystem::create_symlink(library, directory_ / "lib64/libascendcl.so");
  }
  const char* path() const { return directory_.path().c_str(); }
  std::string library() const { return (directory_ / "lib64/libascendcl.so").native(); }

 private:
  npuprof::testing::TemporaryDirectory directory_;
};

TEST(Client, EnvironmentDecidesAboutSimulation) {
  const auto with = [](const char* value) {
    const Variable variable("NPUPROF_SIMULATE", value);
    return simulate_from_environment();
  };
  EXPECT_EQ(with(nullptr), Simulate::kIfNoneFound);
  EXPECT_EQ(with(""), Simulate::kIfNoneFound);
  EXPECT_EQ(with("1"), Simulate::kAlways);
  EXPECT_EQ(with("0"), Simulate::kNever);
}

TEST(Client, TheSimulatedLibraryHasEveryFunction) {
  const Client& client = simulated_client();
  EXPECT_TRUE(client.is_simulated());
  EXPECT_EQ(client.source(), NPUSIM_LIBRARY);
  const Functions& functions = client.functions();
  EXPECT_NE(functions.aclprofWarmup, nullptr);
  EXPECT_NE(functions.aclprofMarkEx, nullptr);
  EXPECT_NE(functions.mstxDomainRangeEnd, nullptr);
  EXPECT_NE(functions.aclopStopDumpArgs, nullptr);
  EXPECT_NE(client.find("aclrtMalloc"), nullptr);
  EXPECT_EQ(client.find("aclrtNoSuchFunction"), nullptr);
}

TEST(Client, TheSimulatedLibraryIsFoundBesideTheProgram) {
  const auto client = Client::open({.simulate = Simulate::kAlways, .simulated_library = {}});
  ASSERT_TRUE(client.ok()) << client.error().message;
  EXPECT_TRUE(client->is_simulated());
  EXPECT_THAT(client->source(), HasSubstr("/libnpusim_cann.so"));
}

TEST(Client, TheInstallationIsAskedFirst) {
  const Installation installed(NPUSIM_LIBRARY);
  const Variable home("ASCEND_HOME_PATH", installed.path());
  for (const Simulate simulate : {Simulate::kNever, Simulate::kIfNoneFound}) {
    const auto client = Client::open({.simulate = simulate, .simulated_library = "/nowhere"});
    ASSERT_TRUE(client.ok()) << client.error().message;
    EXPECT_EQ(client->source(), installed.library());
    // It does not pass for a real one because of its name.
    EXPECT_TRUE(client->is_simulated());
  }
  // Who asks for the simulation gets it, whatever is installed.
  const auto asked =
      Client::open({.simulate = Simulate::kAlways, .simulated_library = NPUSIM_LIBRARY});
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ(asked->source(), NPUSIM_LIBRARY);
}

// Where the loader finds a library that has nothing to do with NPUs.
std::string path_of_libm() {
  void* const library = ::dlopen("libm.so.6", RTLD_NOW);
  const link_map* map = nullptr;
  EXPECT_TRUE(library != nullptr && ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0);
  return map != nullptr ? map->l_name : "";
}

TEST(Client, ALibraryWithoutAProfilerIsRefused) {
  const Installation installed(path_of_libm());
  const Variable home("ASCEND_HOME_PATH", installed.path());
  const auto client = Client::open({.simulate = Simulate::kNever, .simulated_library = {}});
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(client.error().message, HasSubstr("lacks functions"));
}

TEST(Client, NoLibraryAtAll) {
  const Variable home("ASCEND_HOME_PATH", "/nowhere");
  const auto without = Client::open({.simulate = Simulate::kNever, .simulated_library = {}});
  if (without.ok()) GTEST_SKIP() << "this computer has " << without->source();
  EXPECT_EQ(without.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(without.error().message, HasSubstr("NPUPROF_SIMULATE=0"));
}

TEST(Client, NoSimulatedLibrary) {
  const auto missing =
      Client::open({.simulate = Simulate::kAlways, .simulated_library = "/nowhere/lib.so"});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/lib.so"));
}

TEST(Client, TheDeviceIsThatOfTheThreadOrOfThePlaceOnTheComputer) {
  const Client& client = simulated_client();
  std::uint32_t count = 0;
  ASSERT_EQ(CANN_CALL(aclrtGetDeviceCount)(&count), 0);
  ASSERT_GT(count, 1u);
  // A thread that has chosen none.
  const auto device_at = [&](const char* place) {
    const Variable variable("LOCAL_RANK", place);
    std::uint32_t device = 99;
    std::thread([&] { device = client.current_device().value_or(99); }).join();
    return device;
  };
  EXPECT_EQ(device_at(nullptr), 0u);
  EXPECT_EQ(device_at("1"), 1u);
  EXPECT_EQ(device_at(std::to_string(count + 1).c_str()), 1u);
  EXPECT_EQ(device_at("one"), 0u);

  const Variable variable("LOCAL_RANK", "0");
  std::thread([&] {
    ASSERT_EQ(CANN_CALL(aclrtSetDevice)(1), 0);
    EXPECT_EQ(client.current_device().value_or(99), 1u);
  }).join();
}

TEST(Client, Features) {
  EXPECT_THAT(simulated_client().features(), ElementsAre("ATTR", "AICORE_SHAPE", "MemoryAccess"));
}

TEST(Client, ErrorsSayWhatFailed) {
  EXPECT_EQ(call_error("aclprofStart", NPUPROF_ACL_PROF_ALREADY_RUN).message,
            "aclprofStart failed with code 100042 (a collection runs already)");
  EXPECT_EQ(call_error("aclprofStart", 12).message, "aclprofStart failed with code 12");
}

}  // namespace
}  // namespace npuprof::cann
