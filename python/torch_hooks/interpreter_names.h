#pragma once

// What calls of Python are called: numbers for code, modules and C functions. Needs the
// interpreter's lock.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <Python.h>

#include "interpreter_frames.h"
#include "record/thread_buffer.h"

namespace npuprof::torch_hooks {

class InterpreterNames {
 public:
  static constexpr std::uint64_t kExitKey = 1;

  explicit InterpreterNames(std::vector<std::string> path_prefixes);
  InterpreterNames(const InterpreterNames&) = delete;
  InterpreterNames& operator=(const InterpreterNames&) = delete;
  ~InterpreterNames();

  // Each tells the recorder what its key means, the first time.
  std::uint64_t function(CodePlace place, record::ThreadBuffer& buffer);
  std::uint64_t c_function(PyObject* function, record::ThreadBuffer& buffer);
  // `is_new`: the object was not seen before.
  std::uint64_t module(PyObject* module, record::ThreadBuffer& buffer, bool& is_new);
  void tell_exit(record::ThreadBuffer& buffer);

 private:
  struct Site {
    CodePlace place{};
    std::uint64_t key = 0;  // 0: free.
    bool is_told = false;
  };
  struct Entry {
    std::uint64_t key = 0;
    const void* kind = nullptr;  // Type of a module: another object may come to the same address.
    bool is_told = false;
  };

  Site& find(CodePlace place);
  void grow();
  std::string text_of(CodePlace place) const;
  std::string_view without_prefix(std::string_view path) const;

  std::vector<std::string> path_prefixes_;
  std::vector<Site> sites_;  // Open addressing; a power of two.
  std::size_t site_count_ = 0;
  std::unordered_map<const void*, Entry> c_functions_;
  std::unordered_map<const void*, Entry> modules_;
  std::vector<PyObject*> kept_;  // References of ours.
  std::uint64_t last_key_ = kExitKey;
  bool exit_is_told_ = false;
};

}  // namespace npuprof::torch_hooks
