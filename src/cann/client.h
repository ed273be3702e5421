#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "npuprof/cann_abi.h"

namespace npuprof::cann {

enum class Simulate {
  kIfNoneFound,  // The vendor's libraries if they are there.
  kAlways,
  kNever
};

// NPUPROF_SIMULATE: 1 is kAlways, 0 is kNever; otherwise, and if it is not set, kIfNoneFound.
Simulate simulate_from_environment();

// The functions a collector calls, under their own names; null where the libraries lack one.
struct Functions {
  decltype(::aclInit)* aclInit = nullptr;
  decltype(::aclrtGetDevice)* aclrtGetDevice = nullptr;
  decltype(::aclrtGetDeviceCount)* aclrtGetDeviceCount = nullptr;
  decltype(::aclprofInit)* aclprofInit = nullptr;
  decltype(::aclprofSetConfig)* aclprofSetConfig = nullptr;
  decltype(::aclprofCreateConfig)* aclprofCreateConfig = nullptr;
  decltype(::aclprofWarmup)* aclprofWarmup = nullptr;
  decltype(::aclprofStart)* aclprofStart = nullptr;
  decltype(::aclprofStop)* aclprofStop = nullptr;
  decltype(::aclprofDestroyConfig)* aclprofDestroyConfig = nullptr;
  decltype(::aclprofFinalize)* aclprofFinalize = nullptr;
  decltype(::aclprofRegisterDeviceCallback)* aclprofRegisterDeviceCallback = nullptr;
  decltype(::aclprofGetSupportedFeatures)* aclprofGetSupportedFeatures = nullptr;
  decltype(::aclprofGetSupportedFeaturesV2)* aclprofGetSupportedFeaturesV2 = nullptr;
  decltype(::aclprofMarkEx)* aclprofMarkEx = nullptr;
  decltype(::mstxMarkA)* mstxMarkA = nullptr;
  decltype(::mstxRangeStartA)* mstxRangeStartA = nullptr;
  decltype(::mstxRangeEnd)* mstxRangeEnd = nullptr;
  decltype(::mstxDomainCreateA)* mstxDomainCreateA = nullptr;
  decltype(::mstxDomainMarkA)* mstxDomainMarkA = nullptr;
  decltype(::mstxDomainRangeStartA)* mstxDomainRangeStartA = nullptr;
  decltype(::mstxDomainRangeEnd)* mstxDomainRangeEnd = nullptr;
  decltype(::aclopStartDumpArgs)* aclopStartDumpArgs = nullptr;
  decltype(::aclopStopDumpArgs)* aclopStopDumpArgs = nullptr;
};

// The vendor's libraries, or the simulated one in their place, opened at run time. They stay
// loaded: threads of theirs may run.
class Client {
 public:
  struct Options {
    Simulate simulate = simulate_from_environment();
    // Empty: looked for beside the file this code is in.
    std::filesystem::path simulated_library;
  };
  // Fails if there is no library, or if it lacks a function that no collection can do without.
  static Result<Client> open(const Options& options);

  // The one of the process, opened with default options when it is asked for first.
  static const Result<Client>& shared();

  const Functions& functions() const { return functions_; }
  bool is_simulated() const { return is_simulated_; }
  // The main library: a path, or the name the loader was asked for.
  const std::string& source() const { return source_; }

  // Any other function; null if there is none of this name.
  void* find(const char* name) const;

  // The device of the calling thread, or, if it has none, the one of this process' place on the
  // computer (LOCAL_RANK).
  Result<std::uint32_t> current_device() const;

  // Names of the optional features that can be used here: "ATTR", "AICORE_SHAPE", "MemoryAccess".
  std::vector<std::string> features() const;

 private:
  Status open_libraries(const Options& options);
  // False if one is missing that no collection can do without.
  bool look_up_functions();

  std::vector<void*> libraries_;
  std::string source_;
  bool is_simulated_ = false;
  Functions functions_;
};

// "aclprofStart failed with code 100042 (a collection runs already)".
Error call_error(const char* function, aclError code);

}  // namespace npuprof::cann
