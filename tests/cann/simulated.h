#pragma once

// The real simulated library, and the environment it is found by.

#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "cann/client.h"
#include "npuprof/npusim.h"

namespace npuprof::cann::testing {

// A variable of the environment; as before when the object goes. Null: not set.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    put(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { put(before_ ? before_->c_str() : nullptr); }

 private:
  void put(const char* value) {
    value != nullptr ? ::setenv(name_.c_str(), value, 1) : ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

// Stays until the process ends, like the library.
inline const Client& simulated_client() {
  static const auto& client = *new Result<Client>(
      Client::open({.simulate = Simulate::kAlways, .simulated_library = NPUSIM_LIBRARY}));
  EXPECT_TRUE(client.ok()) << (client.ok() ? "" : client.error().message);
  return *client;
}

// CANN_CALL(aclrtSetDevice)(0) calls the function of the simulated library.
#define CANN_CALL(name) \
  (reinterpret_cast<decltype(::name)*>(::npuprof::cann::testing::simulated_client().find(#name)))

// One small kernel; waits for it.
inline void run_kernel(const char* name) {
  const NpusimTensor tensor{
      .is_output = 1, .data_type = 0, .format = 2, .dimension_count = 2, .shape = {16, 16}};
  const NpusimKernel kernel{.call = "aclnnAdd",
                            .name = name,
                            .type = "Add",
                            .attributes = nullptr,
                            .core = NPUSIM_CORE_AIV,
                            .block_count = 8,
                            .mix_ratio = 0,
                            .math_type = 0,
                            .cube_flops = 0,
                            .vector_operations = 256,
                            .bytes_read = 2048,
                            .bytes_written = 1024,
                            .tensors = &tensor,
                            .tensor_count = 1};
  EXPECT_EQ(CANN_CALL(npusimLaunchKernel)(&kernel, nullptr), NPUPROF_ACL_SUCCESS);
  EXPECT_EQ(CANN_CALL(aclrtSynchronizeStream)(nullptr), NPUPROF_ACL_SUCCESS);
}

}  // namespace npuprof::cann::testing
