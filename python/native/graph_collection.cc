#include "graph_collection.h"

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cann/client.h"
#include "device_side.h"

namespace npuprof::python {
namespace {

const cann::Client& client_or_throw() {
  const Result<cann::Client>& client = cann::Client::shared();
  if (!client.ok()) throw std::runtime_error(client.error().message);
  return *client;
}

void throw_if_failed(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().message);
}

}  // namespace

cann::OptionsTarget options_target() {
  cann::OptionsTarget target;
  const char* const work_path = std::getenv("ASCEND_WORK_PATH");
  if (work_path != nullptr) target.work_path = work_path;
  const Result<cann::Client>& client = cann::Client::shared();
  target.has_driver = client.ok();
  if (!client.ok()) return target;
  using GetName = decltype(::aclrtGetSocName);
  auto* const get_name = reinterpret_cast<GetName*>(client->find("aclrtGetSocName"));
  const char* const name = get_name != nullptr ? get_name() : nullptr;
  target.is_newest = name != nullptr && std::string_view(name).starts_with("Ascend910_95");
  return target;
}

GraphCollection::GraphCollection(const cann::ProfilingOptions& options) {
  throw_if_failed(cann::prepare_output(options.output));
  start(cann::Collection::open_for_graphs(client_or_throw(), options.output, options));
}

GraphCollection::GraphCollection(const std::string& output, const std::string& level,
                                 const std::string& metrics) {
  throw_if_failed(cann::prepare_output(output));
  cann::CollectionOptions options;
  options.profiler_level = "Level" + level.substr(1);
  options.aic_metrics = metrics;
  start(cann::Collection::open(client_or_throw(), output, options));
}

void GraphCollection::start(Result<std::unique_ptr<cann::Collection>> collection) {
  if (!collection.ok()) throw std::runtime_error(collection.error().message);
  collection_ = std::move(collection).value();
  throw_if_failed(collection_->start());
  if (is_simulated()) say_that_it_is_simulated();
}

bool GraphCollection::is_simulated() const { return client_or_throw().is_simulated(); }

void GraphCollection::stop() {
  if (collection_ == nullptr) return;
  const Status finished = collection_->finalize();
  collection_.reset();
  throw_if_failed(finished);
}

}  // namespace npuprof::python
