#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cann/client.h"
#include "cann/profiling_options.h"
#include "cann/switches.h"

namespace npuprof::cann {

// One collection of CANN: makes a PROF_* directory in a result directory when it starts. CANN has
// one for a process. Functions are called one at a time; a forked child of the process calls none
// of them to any effect.
class Collection {
 public:
  // Prepares CANN for it. `client` stays longer.
  static Result<std::unique_ptr<Collection>> open(const Client& client,
                                                  const std::string& result_directory,
                                                  const CollectionOptions& options);
  static Result<std::unique_ptr<Collection>> open_for_graphs(const Client& client,
                                                             const std::string& result_directory,
                                                             const ProfilingOptions& options);
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;
  // Stops and finalizes if need be.
  ~Collection();

  // Arms CANN, so that start() is quick. Does nothing if it cannot do that.
  Status warmup();
  Status start();
  Status stop();
  Status finalize();

  bool is_started() const { return is_started_; }
  // What CANN samples of the host_sys of the options: all of it, or what is left without samples
  // that need tools this machine does not have; nothing if it cannot sample the host at all.
  const std::vector<std::string>& host_samples() const { return host_samples_; }

 private:
  Collection(const Client& client, std::string result_directory, Switches switches,
             std::vector<std::string> host_sys, std::string op_args_directory);
  static Result<std::unique_ptr<Collection>> prepare(std::unique_ptr<Collection> collection);
  Status configure();
  aclError set(int type, const std::string& value) const;
  void choose_host_samples();
  Status make_config();
  Status start_op_args();

  const Client& client_;
  const std::string result_directory_;
  const Switches switches_;
  const std::vector<std::string> host_sys_;
  const std::string op_args_directory_;
  const int pid_;
  aclprofConfig* config_ = nullptr;
  bool is_initialized_ = false;
  bool is_started_ = false;
  bool is_warm_ = false;
  std::vector<std::string> host_samples_;
  bool dumps_op_args_ = false;
};

}  // namespace npuprof::cann
