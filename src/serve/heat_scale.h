#pragma once

// What differences a heat map may show: colours that follow every small difference make noise look
// like a finding.

#include <vector>

namespace npuprof::serve {

struct HeatScale {
  double low = 0;
  double high = 0;
  double usual = 0;  // The median of all values.
  // Values this far from it, or less, are as usual: 5 % of it, or, if that is more, three times
  // what the values of one row (the steps of a rank) usually differ by.
  double noise = 0;
};

// `least` is a difference that matters to nobody, whatever the values are.
HeatScale heat_scale(const std::vector<std::vector<double>>& rows, double least);

}  // namespace npuprof::serve
