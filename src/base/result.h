#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace npuprof {

// Every way an operation can fail. What a user reads is Error::message, one sentence that names the
// file and says what to do; the code is for programs (exit status, tests).
enum class ErrorCode : std::uint8_t {
  kNotFound,         // A file or directory does not exist.
  kPermission,       // It exists but may not be read or written.
  kNoSpace,          // The disk or the quota is full.
  kIo,               // Any other failure of the operating system.
  kTruncated,        // Data ends before the record it announced.
  kCorrupt,          // Data contradicts its own format.
  kUnsupported,      // Valid, but of a kind this program does not read or write.
  kInvalidArgument,  // The caller (or user) asked for something impossible.
  kCancelled,        // The user interrupted the work.
  kNoData,           // The profile has nothing to answer the question with.
  kInternal,         // Memory ran out, or this program has a defect.
};

struct Error {
  ErrorCode code;
  std::string message;

  // Builds the error for a failed system call: "<what> <path>: <reason>", the code taken from
  // errno.
  static Error from_errno(std::string_view what, std::string_view path, int errno_value);
};

// A value or the Error that prevented it. Check ok() before value(); error() only if not ok().
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T value_or(T fallback) && { return ok() ? std::get<0>(std::move(state_)) : std::move(fallback); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() { return std::get<1>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// The outcome of an operation that yields nothing.
using Status = Result<std::monostate>;
inline Status ok_status() { return std::monostate{}; }

}  // namespace npuprof

#define NPUPROF_CONCAT_INNER(a, b) a##b
#define NPUPROF_CONCAT(a, b) NPUPROF_CONCAT_INNER(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): `temporary` and `declaration` are no expressions.

// Returns the error of `expression` from the enclosing function, if it has one.
#define NPUPROF_RETURN_IF_ERROR(expression)                       \
  do {                                                            \
    if (auto npuprof_status = (expression); !npuprof_status.ok()) \
      return std::move(npuprof_status.error());                   \
  } while (false)

// NPUPROF_ASSIGN_OR_RETURN(auto file, MappedFile::open(path)); declares `file` or returns the
// error.
#define NPUPROF_ASSIGN_OR_RETURN(declaration, expression) \
  NPUPROF_ASSIGN_OR_RETURN_INNER(NPUPROF_CONCAT(npuprof_result_, __LINE__), declaration, expression)
#define NPUPROF_ASSIGN_OR_RETURN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                                           \
  if (!temporary.ok()) return std::move(temporary.error());                \
  declaration = std::move(temporary).value()

// NOLINTEND(bugprone-macro-parentheses)
