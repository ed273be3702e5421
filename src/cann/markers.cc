#include "cann/markers.h"

#include <algorithm>
#include <string_view>

#include "base/log.h"

namespace npuprof::cann {
namespace {

// The longest message that aclprofMarkEx takes.
constexpr std::size_t kLongestPlainMark = 155;

// CANN drops messages that a spreadsheet would take for formulas.
constexpr std::string_view kFormulaBegins = "=+-@";
// Of a text that may be long.
constexpr std::size_t kShownBytes = 60;

bool is_default(const std::string& domain) { return domain.empty() || domain == "default"; }

aclrtStream stream_of(std::uintptr_t number) {
  return reinterpret_cast<aclrtStream>(number);  // NOLINT(performance-no-int-to-ptr): a handle.
}

}  // namespace

mstxDomainHandle_t Markers::handle(const std::string& domain) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = handles_.try_emplace(domain, nullptr);
  if (is_new) {
    entry->second = cann_.mstxDomainCreateA(domain.c_str());
    if (entry->second == nullptr) {
      log::warning(
          "CANN does not take the domain '{}' of {} bytes: its markers are not recorded (a name "
          "has "
          "at most 1023 bytes and does not begin with =, +, - or @)",
          domain.substr(0, kShownBytes), domain.size());
    }
  }
  return entry->second;
}

bool Markers::is_taken(const std::string& message, const std::string& domain) {
  if (message.empty()) return false;
  if (kFormulaBegins.find(message.front()) != std::string_view::npos) {
    if (!has_refused_message_.exchange(true)) {
      log::warning(
          "CANN does not take markers whose message begins with =, +, - or @: they are not "
          "recorded, the first is '{}'",
          message.substr(0, kShownBytes));
    }
    return false;
  }
  if (is_default(domain) || has_domains()) return true;
  if (!has_refused_domain_.exchange(true)) {
    log::warning("this CANN has no domains: markers with one, such as '{}', are not recorded",
                 domain.substr(0, kShownBytes));
  }
  return false;
}

void Markers::mark(const std::string& message, const std::string& domain, std::uintptr_t stream) {
  if (cann_.mstxMarkA == nullptr && (is_default(domain) || !has_domains())) {
    // An old CANN, without domains and ranges.
    if (cann_.aclprofMarkEx == nullptr || message.empty()) return;
    (void)cann_.aclprofMarkEx(message.c_str(), std::min(message.size(), kLongestPlainMark),
                              stream_of(stream));
  } else if (!is_taken(message, domain)) {
    return;
  } else if (is_default(domain)) {
    cann_.mstxMarkA(message.c_str(), stream_of(stream));
  } else if (cann_.mstxDomainMarkA != nullptr) {
    if (mstxDomainHandle_t const of = handle(domain)) {
      cann_.mstxDomainMarkA(of, message.c_str(), stream_of(stream));
    }
  }
}

std::uint64_t Markers::range_start(const std::string& message, const std::string& domain,
                                   std::uintptr_t stream) {
  if (!is_taken(message, domain)) return 0;
  if (is_default(domain)) {
    return cann_.mstxRangeStartA != nullptr
               ? cann_.mstxRangeStartA(message.c_str(), stream_of(stream))
               : 0;
  }
  if (cann_.mstxDomainRangeStartA == nullptr) return 0;
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
