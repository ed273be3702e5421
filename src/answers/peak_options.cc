#include "answers/peak_options.h"

#include <string>

#include "base/text.h"

namespace npuprof::answers {
namespace {

Status read_peak(const Request& request, std::string_view name, double& value) {
  const auto text = request.option(name);
  if (!text) return ok_status();
  const auto number = parse_number<double>(*text);
  if (!number || *number <= 0) {
    return Error{
        ErrorCode::kInvalidArgument,
        "--" + std::string(name) + " takes a positive number, not '" + std::string(*text) + "'"};
  }
  value = *number;
  return ok_status();
}

}  // namespace

Result<analyze::PeakOptions> peak_options(const Request& request) {
  analyze::PeakOptions options;
  NPUPROF_RETURN_IF_ERROR(read_peak(request, kPeakTflopsOption.name, options.tflops));
  NPUPROF_RETURN_IF_ERROR(read_peak(request, kPeakBandwidthOption.name, options.gb_s));
  return options;
}

}  // namespace npuprof::answers
