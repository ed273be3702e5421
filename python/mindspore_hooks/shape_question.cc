#include "shape_question.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace npuprof::mindspore_hooks {
namespace {

// Of mindspore::profiler::Profiler. It is asked through the virtual functions, of which libraries
// may have copies.
constexpr const char* kFindProfiler = "_ZN9mindspore8profiler8Profiler11GetInstanceERKSs";
constexpr const char* kNameProfiler =
    "_ZN9mindspore8profiler8Profiler8RegisterERKSsRKSt10shared_ptrIS1_E";
constexpr std::array kQuestions = {
    "_ZN9mindspore8profiler8Profiler18EnableRecordShapesEv",
    "_ZN9mindspore8profiler6ascend14AscendProfiler18EnableRecordShapesEv"};

using Profiler = std::shared_ptr<void>;
using FindProfiler = Profiler(const void* name);
using NameProfiler = void(const void* name, const Profiler& profiler);

// A std::string as it was before GCC 5, which MindSpore is built with.
class OldString {
 public:
  explicit OldString(const char* text) {
    void* const library = ::dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return;
    using Make = void(OldString*, const char*, const char* allocator);
    auto* const make = reinterpret_cast<Make*>(::dlsym(library, "_ZNSsC1EPKcRKSaIcE"));
    end_ = reinterpret_cast<End*>(::dlsym(library, "_ZNSsD1Ev"));
    if (make != nullptr && end_ != nullptr) make(this, text, "");
  }
  OldString(const OldString&) = delete;
  OldString& operator=(const OldString&) = delete;
  ~OldString() {
    if (is_made()) end_(this);
  }
  bool is_made() const { return text_ != nullptr; }

 private:
  using End = void(OldString*);
  void* text_ = nullptr;  // All that an old string is.
  End* end_ = nullptr;
};

std::vector<void*> loaded_libraries() {
  std::vector<std::string> paths;
  const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
    const std::string_view path = info->dlpi_name;
    if (path.find("libmindspore_") != std::string_view::npos) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(path);
    }
    return 0;
  };
  ::dl_iterate_phdr(add, &paths);
  std::vector<void*> libraries;
  for (const std::string& path : paths) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library != nullptr) libraries.push_back(library);
  }
  return libraries;
}

// All functions of that name.
std::vector<void*> functions_named(const char* name) {
  std::vector<void*> functions;
  for (void* const library : loaded_libraries()) {
    void* const function = ::dlsym(library, name);
    if (function != nullptr) functions.push_back(function);
  }
  return functions;
}

bool yes(void*) { return true; }

// The profiler that is asked, and its table of virtual functions with another answer.
class Asked {
 public:
  Asked() {
    if (!find_profiler()) return;
    void** const table = *table_of_profiler();
    std::size_t size = 0;
    while (size < kMostFunctions && table[size] != nullptr) ++size;  // What follows begins with 0.
    const auto question = std::find_if(table, table + size, is_question);
    if (question == table + size) return;
    std::copy(table - kBeforeFunctions, table + size, table_.begin());
    table_[kBeforeFunctions + static_cast<std::size_t>(question - table)] =
        reinterpret_cast<void*>(&yes);
    own_table_ = table;
  }

  bool answer(bool wanted) {
    if (own_table_ == nullptr) return false;
    *table_of_profiler() = wanted ? table_.data() + kBeforeFunctions : own_table_;
    return true;
  }

 private:
  static constexpr std::size_t kMostFunctions = 64;
  static constexpr std::size_t kBeforeFunctions = 2;  // An offset, and what the type is.

  // That of the NPU; where there is none, that of the CPU, which goes by its name from now on.
  bool find_profiler() {
    const std::vector<void*> find = functions_named(kFindProfiler);
    const std::vector<void*> name = functions_named(kNameProfiler);
    const OldString npu("Ascend");
    const OldString cpu("CPU");
    if (find.empty() || name.empty() || !npu.is_made() || !cpu.is_made()) return false;
    auto* const find_by_name = reinterpret_cast<FindProfiler*>(find[0]);
    profiler_ = find_by_name(&npu);
    if (profiler_ != nullptr) return true;
    profiler_ = find_by_name(&cpu);
    if (profiler_ == nullptr) return false;
    reinterpret_cast<NameProfiler*>(name[0])(&npu, profiler_);
    return true;
  }

  static bool is_question(const void* function) {
    static const std::vector<void*> known = [] {
      std::vector<void*> functions;
      for (const char* const name : kQuestions) {
        const std::vector<void*> named = functions_named(name);
        functions.insert(functions.end(), named.begin(), named.end());
      }
      return functions;
    }();
    return std::find(known.begin(), known.end(), function) != known.end();
  }

  void*** table_of_profiler() const { return static_cast<void***>(profiler_.get()); }

  Profiler profiler_;
  void** own_table_ = nullptr;
  std::array<void*, kBeforeFunctions + kMostFunctions> table_{};
};

}  // namespace

bool answer_shape_question(bool wanted) {
  static Asked* const asked = new Asked();  // MindSpore's object may outlive this library's.
  return asked->answer(wanted);
}

}  // namespace npuprof::mindspore_hooks
