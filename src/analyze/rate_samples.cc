#include "trace/device/rate_samples.h"

#include <span>
#include <utility>

#include "analyze/sample_tables.h"

namespace npuprof::analyze {
namespace {

using trace::RateKind;

// The kind it is shown as, and how many values count.
std::pair<SampleKind, std::size_t> shown_as(RateKind kind) {
  switch (kind) {
    case RateKind::kHbm:
      return {SampleKind::kHbm, 1};
    case RateKind::kLlc:
      return {SampleKind::kLlc, 2};
    case RateKind::kDdr:
      return {SampleKind::kDdr, 2};
    case RateKind::kHccs:
      return {SampleKind::kHccs, 2};
    case RateKind::kUb:
      return {SampleKind::kUb, 2};
    case RateKind::kSio:
      return {SampleKind::kSio, 8};
    case RateKind::kQos:
      return {SampleKind::kQos, 1};
    case RateKind::kNetdev:
      break;
  }
  return {SampleKind::kNetdev, trace::kRateValues};
}

}  // namespace

void add_rate_samples(const trace::Trace& trace, SampleTables& tables) {
  const trace::RateSamples& rows = trace.rate_samples();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [kind, width] = shown_as(static_cast<RateKind>(rows.kind[i]));
    tables.of(kind).add(rows.time_ns[i], rows.device[i], rows.unit[i],
                        trace.strings.view(rows.label[i]), std::span(rows.values[i]).first(width));
  }
}

}  // namespace npuprof::analyze
