#include "cann/client.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/text.h"

namespace npuprof::cann {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMainLibrary = "libascendcl.so";
constexpr const char* kSimulatedLibrary = "libnpusim_cann.so";
// Their functions are looked for in this order. Only the first one must be there.
constexpr std::array kLibraries = {kMainLibrary, "libmsprofiler.so", "libms_tools_ext.so",
                                   "libascend_dump.so"};
// Where the vendor's installer puts them, for programs that run without its environment.
constexpr std::array kUsualFolders = {"/usr/local/Ascend/ascend-toolkit/latest/lib64",
                                      "/usr/local/Ascend/latest/lib64",
                                      "/usr/local/Ascend/nnrt/latest/lib64"};

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

struct Opened {
  void* handle = nullptr;
  std::string source;
};

Opened try_open(const std::string& path, int flags) {
  void* const handle = ::dlopen(path.c_str(), flags);
  return {handle, handle != nullptr ? path : std::string()};
}

// A copy that the program has loaded counts most: another copy would know nothing of its devices.
Opened open_vendor_library(const char* name) {
  // The profiler's library has symbols that other libraries of the vendor look for.
  const int flags = RTLD_NOW | (std::strcmp(name, "libmsprofiler.so") == 0 ? RTLD_GLOBAL : 0);
  Opened opened = try_open(name, flags | RTLD_NOLOAD);
  const std::string_view home = environment("ASCEND_HOME_PATH");
  if (opened.handle == nullptr && !home.empty()) {
    opened = try_open((fs::path(home) / "lib64" / name).native(), flags);
  }
  if (opened.handle == nullptr) opened = try_open(name, flags);
  for (const char* const folder : kUsualFolders) {
    if (opened.handle == nullptr) opened = try_open((fs::path(folder) / name).native(), flags);
  }
  return opened;
}

// The directory of the file that this code was linked into.
fs::path own_directory() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_directory), &info) == 0) return {};
  std::error_code failed;
  const fs::path path = fs::absolute(info.dli_fname, failed);
  return failed ? fs::path() : path.parent_path();
}

Opened open_simulated_library(const fs::path& given) {
  if (!given.empty()) return try_open(given.native(), RTLD_NOW);
  const fs::path here = own_directory();
  for (const char* const folder : {"lib", ".", "../lib"}) {
    Opened opened = try_open((here / folder / kSimulatedLibrary).native(), RTLD_NOW);
    if (opened.handle != nullptr) return opened;
  }
  return try_open(kSimulatedLibrary, RTLD_NOW);
}

// Versions of features that this program knows how to use.
struct KnownFeature {
  std::string_view name;
  std::int64_t version;
};
constexpr std::array<KnownFeature, 3> kKnownFeatures = {
    {{"ATTR", 1}, {"AICORE_SHAPE", 1}, {"MemoryAccess", 1}}};

// As CANN lists them; two of the members belong to its classes.
struct FeatureRecord {
  void* hidden;
  char name[64];
  void* hidden_text;
  char compatibility[16];
  char version[16];
  char component[16];
  char component_version[16];
  char log[128];
};
static_assert(sizeof(FeatureRecord) == 272);

template <std::size_t kSize>
std::string_view text_of(const char (&field)[kSize]) {
  return {field, ::strnlen(field, kSize)};
}

bool is_usable(const FeatureRecord& feature) {
  const std::string_view component = text_of(feature.component);
  const std::string_view of_version = text_of(feature.component_version);
  if (component != "all" && component != "PTA") return false;
  if (of_version != "all" && of_version != "master") return false;
  const auto known =
      std::find_if(kKnownFeatures.begin(), kKnownFeatures.end(),
                   [&](const KnownFeature& each) { return each.name == text_of(feature.name); });
  const auto version = parse_number<std::int64_t>(text_of(feature.version));
  if (known == kKnownFeatures.end() || !version) return false;
  return *version == known->version ||
         (*version > known->version && text_of(feature.compatibility) == "1");
}

std::string_view meaning(aclError code) {
  switch (code) {
    case NPUPROF_ACL_INVALID_PARAM:
      return "invalid parameter";
    case NPUPROF_ACL_UNINITIALIZE:
      return "not initialised";
    case NPUPROF_ACL_REPEAT_INITIALIZE:
      return "initialised already, another profiler may be at work";
    case NPUPROF_ACL_PROF_ALREADY_RUN:
      return "a collection runs already";
    case NPUPROF_ACL_PROF_NOT_RUN:
      return "no collection runs";
    case NPUPROF_ACL_PROF_API_CONFLICT:
      return "it conflicts with another way of profiling";
    case NPUPROF_ACL_FEATURE_UNSUPPORTED:
    case NPUPROF_ACL_PROF_MODULES_UNSUPPORTED:
      return "not supported by this version";
    case NPUPROF_ACL_PROFILING_FAILURE:
      return "the profiler of CANN failed";
    default:
      return {};
  }
}

}  // namespace

Error call_error(const char* function, aclError code) {
  std::string text = fmt::format("{} failed with code {}", function, code);
  if (const std::string_view words = meaning(code); !words.empty()) {
    text += fmt::format(" ({})", words);
  }
  return {ErrorCode::kInternal, std::move(text)};
}

Simulate simulate_from_environment() {
  const std::string_view value = environment("NPUPROF_SIMULATE");
  if (value == "1") return Simulate::kAlways;
  return value == "0" ? Simulate::kNever : Simulate::kIfNoneFound;
}

void* Client::find(const char* name) const {
  // Preloaded libraries are there to replace functions.
  if (!is_simulated_ && !environment("LD_PRELOAD").empty()) {
    if (void* const symbol = ::dlsym(RTLD_DEFAULT, name)) return symbol;
  }
  for (void* const library : libraries_) {
    if (void* const symbol = ::dlsym(library, name)) return symbol;
  }
  return nullptr;
}

Status Client::open_libraries(const Options& options) {
  if (options.simulate != Simulate::kAlways) {
    for (const char* const name : kLibraries) {
      Opened opened = open_vendor_library(name);
      if (opened.handle == nullptr && libraries_.empty()) break;
      if (libraries_.empty()) source_ = std::move(opened.source);
      if (opened.handle != nullptr) libraries_.push_back(opened.handle);
    }
    if (!libraries_.empty()) return ok_status();
  }
  if (options.simulate == Simulate::kNever) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{} was not found (ASCEND_HOME_PATH, LD_LIBRARY_PATH), and "
                             "NPUPROF_SIMULATE=0 rules out the simulated NPU",
                             kMainLibrary)};
  }
  Opened opened = open_simulated_library(options.simulated_library);
  if (opened.handle == nullptr) {
    const char* const reason = ::dlerror();
    return Error{ErrorCode::kNotFound, fmt::format("the simulated NPU cannot be loaded: {}",
                                                   reason != nullptr ? reason : "no reason")};
  }
  libraries_.push_back(opened.handle);
  source_ = std::move(opened.source);
  return ok_status();
}

bool Client::look_up_functions() {
  const auto take = [this](auto*& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(name));
    return function != nullptr;
  };
  Functions& table = functions_;
#define NPUPROF_TAKE(name) take(table.name, #name)
  NPUPROF_TAKE(aclInit);
  NPUPROF_TAKE(aclrtGetDevice);
  NPUPROF_TAKE(aclrtGetDeviceCount);
  NPUPROF_TAKE(aclprofSetConfig);
  NPUPROF_TAKE(aclprofWarmup);
  NPUPROF_TAKE(aclprofRegisterDeviceCallback);
  NPUPROF_TAKE(aclprofGetSupportedFeatures);
  NPUPROF_TAKE(aclprofGetSupportedFeaturesV2);
  NPUPROF_TAKE(aclprofMarkEx);
  NPUPROF_TAKE(mstxMarkA);
  NPUPROF_TAKE(mstxRangeStartA);
  NPUPROF_TAKE(mstxRangeEnd);
  NPUPROF_TAKE(mstxDomainCreateA);
  NPUPROF_TAKE(mstxDomainMarkA);
  NPUPROF_TAKE(mstxDomainRangeStartA);
  NPUPROF_TAKE(mstxDomainRangeEnd);
  NPUPROF_TAKE(aclopStartDumpArgs);
  NPUPROF_TAKE(aclopStopDumpArgs);
  return NPUPROF_TAKE(aclprofInit) && NPUPROF_TAKE(aclprofCreateConfig) &&
         NPUPROF_TAKE(aclprofStart) && NPUPROF_TAKE(aclprofStop) &&
         NPUPROF_TAKE(aclprofDestroyConfig) && NPUPROF_TAKE(aclprofFinalize);
#undef NPUPROF_TAKE
}

Result<Client> Client::open(const Options& options) {
  Client client;
  NPUPROF_RETURN_IF_ERROR(client.open_libraries(options));
  // The simulated library may also have been found under the vendor's name.
  client.is_simulated_ = ::dlsym(client.libraries_.front(), "npusimIsSimulated") != nullptr;
  if (!client.look_up_functions()) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} lacks functions of the profiler", client.source_)};
  }
  return client;
}

const Result<Client>& Client::shared() {
  static const auto& client = *new Result<Client>(open({}));
  return client;
}

Result<std::uint32_t> Client::current_device() const {
  std::int32_t device = -1;
  if (functions_.aclrtGetDevice != nullptr &&
      functions_.aclrtGetDevice(&device) == NPUPROF_ACL_SUCCESS && device >= 0) {
    return static_cast<std::uint32_t>(device);
  }
  std::uint32_t count = 0;
  if (functions_.aclrtGetDeviceCount != nullptr) {
    const aclError code = functions_.aclrtGetDeviceCount(&count);
    if (code != NPUPROF_ACL_SUCCESS) return call_error("aclrtGetDeviceCount", code);
  }
  if (count == 0) return Error{ErrorCode::kNotFound, "this computer has no NPU"};
  const auto place = parse_number<std::uint32_t>(environment("LOCAL_RANK"));
  return place.value_or(0) % count;
}

std::vector<std::string> Client::features() const {
  std::size_t count = 0;
  void* records = nullptr;
  auto* const list = functions_.aclprofGetSupportedFeaturesV2 != nullptr
                         ? functions_.aclprofGetSupportedFeaturesV2
                         : functions_.aclprofGetSupportedFeatures;
  if (list == nullptr || list(&count, &records) != NPUPROF_ACL_SUCCESS || records == nullptr) {
    return {};
  }
  constexpr std::size_t kMostFeatures = 1024;
  const auto* const features = static_cast<const FeatureRecord*>(records);
  std::vector<std::string> usable;
  for (std::size_t i = 0; i < std::min(count, kMostFeatures); ++i) {
    if (is_usable(features[i])) usable.emplace_back(text_of(features[i].name));
  }
  return usable;
}

}  // namespace npuprof::cann
