#pragma once

#include <memory>
#include <string>

#include "cann/collection.h"
#include "cann/profiling_options.h"

namespace npuprof::python {

// The machine of this process, as far as options depend on it.
cann::OptionsTarget options_target();

// A collection of CANN without a recorder beside it: what programs that run graphs ask for. It
// leaves a PROF_* directory. Functions throw std::runtime_error with a sentence.
class GraphCollection {
 public:
  // Starts at once.
  explicit GraphCollection(const cann::ProfilingOptions& options);
  // Of a local profiler: levels L0, L1, L2 and plain names of metrics, both known.
  GraphCollection(const std::string& output, const std::string& level, const std::string& metrics);

  bool is_simulated() const;
  void stop();

 private:
  void start(Result<std::unique_ptr<cann::Collection>> collection);

  std::unique_ptr<cann::Collection> collection_;
};

}  // namespace npuprof::python
