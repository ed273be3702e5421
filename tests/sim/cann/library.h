#pragma once

// The simulated CANN libraries as a collector gets at them: opened at run time by the vendor's file
// names, each function looked up by name.

#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "npuprof/cann_abi.h"
#include "npuprof/npusim.h"
#include "sim/prof/host_checklist.h"

namespace npuprof::sim::testing {

inline void* open_library(const std::string& name) {
  return ::dlopen((std::string(NPUSIM_LIBRARIES) + "/lib" + name + ".so").c_str(), RTLD_NOW);
}

template <typename Function>
Function* find_function(const char* library, const char* name) {
  void* const handle = open_library(library);
  void* const symbol = handle == nullptr ? nullptr : ::dlsym(handle, name);
  EXPECT_NE(symbol, nullptr) << library << ": " << name;
  return reinterpret_cast<Function*>(symbol);
}

// CANN(aclInit)(nullptr) calls the function of the library.
#define CANN(name) (::npuprof::sim::testing::find_function<decltype(::name)>("ascendcl", #name))

inline std::vector<std::filesystem::path> prof_directories(const std::filesystem::path& parent) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(parent)) {
    if (entry.path().filename().native().starts_with("PROF_")) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A kernel of the cube cores with everything a description has.
inline aclError launch(aclrtStream stream, const char* name = "aclnnMm_MatMulV3Common_MatMulV3",
                       const char* type = "MatMulV3", std::int32_t core = NPUSIM_CORE_AIC) {
  const NpusimTensor tensors[] = {
      {.is_output = 0, .data_type = 27, .format = 2, .dimension_count = 2, .shape = {256, 512}},
      {.is_output = 0, .data_type = 27, .format = 2, .dimension_count = 2, .shape = {512, 128}},
      {.is_output = 1, .data_type = 27, .format = 2, .dimension_count = 2, .shape = {256, 128}}};
  const NpusimKernel kernel{.call = "aclnnMm",
                            .name = name,
                            .type = type,
                            .attributes = nullptr,
                            .core = core,
                            .block_count = 20,
                            .mix_ratio = core == NPUSIM_CORE_MIX_AIC ? 2u : 0u,
                            .math_type = 27,
                            .cube_flops = 2.0 * 256 * 512 * 128,
                            .vector_operations = 1000,
                            .bytes_read = 2.0 * (256 * 512 + 512 * 128),
                            .bytes_written = 2.0 * 256 * 128,
                            .tensors = tensors,
                            .tensor_count = 3};
  return CANN(npusimLaunchKernel)(&kernel, stream);
}

// One collection into `path`; stops and finalizes when it goes.
class Profiled {
 public:
  Profiled(const std::filesystem::path& path, std::vector<std::uint32_t> devices,
           std::uint64_t bits, int metrics = NPUPROF_AICORE_PIPE_UTILIZATION) {
    EXPECT_EQ(CANN(aclprofInit)(path.c_str(), path.native().size()), 0);
    config_ = CANN(aclprofCreateConfig)(devices.data(), static_cast<std::uint32_t>(devices.size()),
                                        metrics, nullptr, bits);
    EXPECT_NE(config_, nullptr);
    EXPECT_EQ(CANN(aclprofStart)(config_), 0);
  }
  ~Profiled() {
    EXPECT_EQ(CANN(aclprofStop)(config_), 0);
    EXPECT_EQ(CANN(aclprofDestroyConfig)(config_), 0);
    EXPECT_EQ(CANN(aclprofFinalize)(), 0);
  }

 private:
  aclprofConfig* config_ = nullptr;
};

// What readers need, but for task ids that count from 0: streams are older than the collection, and
// the default stream outlives it.
inline void expect_host_side(const std::filesystem::path& prof) {
  const std::filesystem::path data = prof / "host" / "data";
  expect_clocks(prof);
  expect_dictionaries(data);
  expect_kernels(data);
  expect_collectives(data);
  expect_copies(data);
  expect_slices(data);
}

inline constexpr std::uint64_t kLevel0 = NPUPROF_PROF_TASK_TIME_L0 | NPUPROF_PROF_ACL_API;
inline constexpr std::uint64_t kLevel1 = NPUPROF_PROF_TASK_TIME | NPUPROF_PROF_ACL_API |
                                         NPUPROF_PROF_HCCL_TRACE | NPUPROF_PROF_AICORE_METRICS;
inline constexpr std::uint64_t kLevel2 = kLevel1 | NPUPROF_PROF_RUNTIME_API | NPUPROF_PROF_AICPU;

}  // namespace npuprof::sim::testing
