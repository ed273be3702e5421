#include "device_side.h"

#include <utility>

#include <pthread.h>

#include "base/log.h"

namespace npuprof::python {

// Other levels of the log may be off, but nobody shall take made-up times for measured ones.
void say_that_it_is_simulated() {
  static const bool is_said [[maybe_unused]] = [] {
    const bool is_asked_for = cann::simulate_from_environment() == cann::Simulate::kAlways;
    log::write(log::Level::kWarning,
               is_asked_for
                   ? "the NPU is simulated, as NPUPROF_SIMULATE=1 says: what is recorded of the "
                     "device follows a model and was not measured"
                   : "no library of CANN was found, so the NPU is simulated: what is recorded of "
                     "the device follows a model and was not measured (NPUPROF_SIMULATE=0 leaves "
                     "the device out)");
    return true;
  }();
}

namespace {

void say(const Status& status) {
  if (!status.ok()) log::warning("recording the NPU: {}", status.error().message);
}

cann::Markers& markers_of(const cann::Client& client) {
  static auto& markers = *new cann::Markers(client);
  return markers;
}

}  // namespace

std::atomic<cann::Markers*> DeviceSide::active_markers{nullptr};

DeviceSide::DeviceSide(const std::string& result_directory, const cann::CollectionOptions& options)
    : with_markers_(options.mstx) {
  // CANN does not work in a forked child, not even its markers.
  static const int registered [[maybe_unused]] =
      ::pthread_atfork(nullptr, nullptr, [] { active_markers = nullptr; });
  const Result<cann::Client>& client = cann::Client::shared();
  if (!client.ok()) {
    log::warning("the NPU is not recorded: {}", client.error().message);
    return;
  }
  auto collection = cann::Collection::open(*client, result_directory, options);
  if (!collection.ok()) {
    log::warning("the NPU is not recorded: {}", collection.error().message);
    return;
  }
  collection_ = std::move(collection).value();
  if (client->is_simulated()) say_that_it_is_simulated();
}

bool DeviceSide::is_simulated() const {
  return collection_ != nullptr && cann::Client::shared()->is_simulated();
}

std::vector<std::string> DeviceSide::host_samples() const {
  return collection_ != nullptr ? collection_->host_samples() : std::vector<std::string>();
}

void DeviceSide::warmup() {
  if (collection_ != nullptr) say(collection_->warmup());
}

void DeviceSide::start() {
  if (collection_ == nullptr) return;
  const Status started = collection_->start();
  say(started);
  if (with_markers_ && collection_->is_started()) {
    active_markers = &markers_of(*cann::Client::shared());
  }
}

void DeviceSide::stop() {
  if (collection_ == nullptr) return;
  active_markers = nullptr;
  say(collection_->stop());
}

void DeviceSide::finalize() {
  if (collection_ == nullptr) return;
  if (collection_->is_started()) active_markers = nullptr;
  say(collection_->finalize());
  collection_.reset();
}

}  // namespace npuprof::python
