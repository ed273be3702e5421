#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "sim/model/kernel.h"

namespace npuprof::sim::cann {

// Arguments of kernels, for tuning. Each kind of kernel is described once, on a line of its own, as
// a JSON object: op_type, name, attributes, inputs and outputs with dtype, format and shape. How
// the vendor's files are laid out is not published.
class OpArgsDump {
 public:
  // Makes the directory, and a file in it.
  Status start(const std::string& directory);
  void stop();

  bool is_on() const { return file_.has_value(); }
  // `key`: the same for kernels that do not differ in anything.
  void put(std::string_view key, const KernelDesc& kernel);

 private:
  std::optional<FileWriter> file_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace npuprof::sim::cann
