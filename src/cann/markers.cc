#include "cann/markers.h"

#include <algorithm>

namespace npuprof::cann {
namespace {

// The longest message that aclprofMarkEx takes.
constexpr std::size_t kLongestPlainMark = 155;

bool is_default(const std::string& domain) { return domain.empty() || domain == "default"; }

aclrtStream stream_of(std::uintptr_t number) {
  return reinterpret_cast<aclrtStream>(number);  // NOLINT(performance-no-int-to-ptr): a handle.
}

}  // namespace

mstxDomainHandle_t Markers::handle(const std::string& domain) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = handles_.try_emplace(domain, nullptr);
  if (is_new) entry->second = cann_.mstxDomainCreateA(domain.c_str());
  return entry->second;
}

void Markers::mark(const std::string& message, const std::string& domain, std::uintptr_t stream) {
  if (!is_default(domain) && has_domains() && cann_.mstxDomainMarkA != nullptr) {
    if (mstxDomainHandle_t const of = handle(domain)) {
      cann_.mstxDomainMarkA(of, message.c_str(), stream_of(stream));
    }
  } else if (cann_.mstxMarkA != nullptr) {
    if (is_default(domain)) cann_.mstxMarkA(message.c_str(), stream_of(stream));
  } else if (cann_.aclprofMarkEx != nullptr && !message.empty()) {
    // An old CANN, without domains and ranges.
    (void)cann_.aclprofMarkEx(message.c_str(), std::min(message.size(), kLongestPlainMark),
                              stream_of(stream));
  }
}

std::uint64_t Markers::range_start(const std::string& message, const std::string& domain,
                                   std::uintptr_t stream) {
  if (is_default(domain)) {
    return cann_.mstxRangeStartA != nullptr
               ? cann_.mstxRangeStartA(message.c_str(), stream_of(stream))
               : 0;
  }
  if (!has_domains() || cann_.mstxDomainRangeStartA == nullptr) return 0;
  mstxDomainHandle_t const of = handle(domain);
  return of != nullptr ? cann_.mstxDomainRangeStartA(of, message.c_str(), stream_of(stream)) : 0;
}

void Markers::range_end(std::uint64_t id, const std::string& domain) {
  if (id == 0) return;
  if (is_default(domain)) {
    if (cann_.mstxRangeEnd != nullptr) cann_.mstxRangeEnd(id);
  } else if (has_domains() && cann_.mstxDomainRangeEnd != nullptr) {
    if (mstxDomainHandle_t const of = handle(domain)) cann_.mstxDomainRangeEnd(of, id);
  }
}

}  // namespace npuprof::cann
