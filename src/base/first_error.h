#pragma once

#include <optional>
#include <utility>

#include "base/result.h"

namespace npuprof {

// The first error of many operations: a full disk makes all that follows fail, and only the first
// sentence helps. Whoever does the operations need not check each of them. Used by one thread at a
// time.
class FirstError {
 public:
  void keep(Error error) {
    if (!error_) error_ = std::move(error);
  }
  void keep(Status status) {
    if (!status.ok()) keep(std::move(status.error()));
  }

  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }
  // The error, or that all is well.
  Status status() const {
    if (error_) return *error_;
    return ok_status();
  }

 private:
  std::optional<Error> error_;
};

}  // namespace npuprof
