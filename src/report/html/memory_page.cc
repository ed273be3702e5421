#include "report/html/memory_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace npuprof::report {
namespace {

using analyze::CategoryBytes;
using analyze::kMemoryCategories;
using analyze::MemoryCategory;
using analyze::MemoryTimeline;

constexpr std::size_t kMostPoints = 3000;

// Of the picture, in its own units.
constexpr double kLeft = 90;
constexpr double kRight = 1180;
constexpr double kTop = 20;
constexpr double kBottom = 500;

// From the bottom up: what stays comes first, what comes and goes lies on it.
struct Band {
  MemoryCategory category;
  std::string_view color;
};
constexpr std::array<Band, kMemoryCategories> kBands = {{
    {MemoryCategory::kParameter, "#2e7d32"},
    {MemoryCategory::kOptimizerState, "#c9a227"},
    {MemoryCategory::kInput, "#5d6470"},
    {MemoryCategory::kTemporary, "#9575cd"},
    {MemoryCategory::kActivation, "#d84343"},
    {MemoryCategory::kGradient, "#1565c0"},
    {MemoryCategory::kAutogradDetail, "#64a5f0"},
    {MemoryCategory::kUnknown, "#b5b8be"},
}};

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 24px auto; max-width: 1240px; padding: 0 16px; }
h1 { font-size: 20px; margin: 0 0 4px; }
p { margin: 0 0 12px; }
svg { width: 100%; height: auto; display: block; }
svg text { font-size: 13px; fill: currentColor; }
svg .grid { stroke: currentColor; stroke-opacity: .15; }
svg .axis { stroke: currentColor; stroke-opacity: .6; }
#pointer { stroke: currentColor; stroke-dasharray: 4 3; visibility: hidden; }
table { border-collapse: collapse; margin: 12px 0 0 24px; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 14px; text-align: right; }
th:first-child, td:first-child { text-align: left; }
td i { display: inline-block; width: 12px; height: 12px; margin-right: 8px; border-radius: 2px; }
tr:last-child td { border-top: 1px solid; font-weight: 600; }
.note { background: #b2620020; border-left: 4px solid #b26200; padding: 6px 12px; }
)";

// Needs `points`: [time in us, bytes by band...], and `plot`: [left, right, last time].
constexpr std::string_view kScript = R"(
const svg = document.querySelector('svg'), line = document.getElementById('pointer');
const cells = document.querySelectorAll('td.here'), time = document.getElementById('time');
const text = bytes => {
  let unit = 0;
  for (; Math.abs(bytes) >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return (unit ? bytes.toFixed(2) : bytes) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit];
};
svg.addEventListener('pointermove', event => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const x = Math.min(Math.max(at.x, plot[0]), plot[1]);
  const us = (x - plot[0]) / (plot[1] - plot[0]) * plot[2];
  let low = 0, high = points.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= us) low = middle; else high = middle;
  }
  line.setAttribute('x1', x); line.setAttribute('x2', x); line.style.visibility = 'visible';
  time.textContent = 'at ' + (us / 1000).toFixed(3) + ' ms';
  const row = points[low].slice(1);
  row.push(row.reduce((sum, bytes) => sum + bytes, 0));
  row.forEach((bytes, i) => { cells[i].textContent = text(bytes); });
});
svg.addEventListener('pointerleave', () => {
  line.style.visibility = 'hidden'; time.textContent = '';
  cells.forEach(cell => { cell.textContent = ''; });
});
)";

constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};

std::string size_text(std::int64_t bytes) {
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 2, kUnits[unit]);
}

std::int64_t total(const CategoryBytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

std::int64_t bytes_of(const CategoryBytes& bytes, const Band& band) {
  return bytes[static_cast<std::size_t>(band.category)];
}

// Rows of the timeline that are drawn.
std::vector<std::size_t> drawn_rows(const MemoryTimeline& timeline) {
  std::vector<std::size_t> rows;
  if (timeline.size() <= kMostPoints) {
    rows.resize(timeline.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }
  const std::int64_t first_us = timeline.time_us.front();
  const auto span = static_cast<double>(timeline.time_us.back() - first_us + 1);
  std::size_t last_bin = kMostPoints;
  for (std::size_t row = 0; row < timeline.size(); ++row) {
    const auto bin = static_cast<std::size_t>(
        static_cast<double>(timeline.time_us[row] - first_us) / span * kMostPoints);
    if (bin != last_bin) {
      rows.push_back(row);
    } else if (total(timeline.bytes[row]) > total(timeline.bytes[rows.back()])) {
      rows.back() = row;
    }
    last_bin = bin;
  }
  return rows;
}

// 1, 2 or 5 times a power of ten, so that about `count` of them make up `range`.
double nice_step(double range, int count) {
  const double rough = range / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

class Picture {
 public:
  Picture(const MemoryTimeline& timeline, std::string& out)
      : timeline_(timeline), rows_(drawn_rows(timeline)), below_(rows_.size()), out_(out) {
    for (const CategoryBytes& bytes : timeline.bytes) {
      most_bytes_ = std::max({most_bytes_, total(bytes), std::int64_t{1}});
    }
    if (!timeline.time_us.empty()) {
      first_us_ = timeline.time_us.front();
      span_us_ = std::max<std::int64_t>(timeline.time_us.back() - first_us_, 1);
    }
  }

  void put() {
    print("<svg viewBox=\"0 0 1200 560\" role=\"img\" aria-label=\"Memory over time\">\n");
    put_grid();
    for (const Band& band : kBands) put_band(band);
    print("<line class=\"axis\" x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\"/>\n", kLeft, kBottom,
          kRight);
    print("<line id=\"pointer\" y1=\"{}\" y2=\"{}\"/>\n</svg>\n", kTop, kBottom);
  }

  // What the script reads.
  void put_points() {
    print("const plot = [{}, {}, {}];\nconst points = [", kLeft, kRight, span_us_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      print("{}[{}", i > 0 ? "," : "", timeline_.time_us[rows_[i]] - first_us_);
      for (const Band& band : kBands) print(",{}", bytes_of(timeline_.bytes[rows_[i]], band));
      print("]");
    }
    print("];\n");
  }

 private:
  template <typename... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  double x_of(std::int64_t time_us) const {
    return kLeft + static_cast<double>(time_us - first_us_) / static_cast<double>(span_us_) *
                       (kRight - kLeft);
  }
  double y_of(std::int64_t bytes) const {
    return kBottom -
           static_cast<double>(bytes) / static_cast<double>(most_bytes_) * (kBottom - kTop);
  }

  void put_grid() {
    double unit_bytes = 1;
    std::size_t unit = 0;
    for (; static_cast<double>(most_bytes_) >= 1024 * unit_bytes && unit + 1 < std::size(kUnits);
         ++unit) {
      unit_bytes *= 1024;
    }
    const double most = static_cast<double>(most_bytes_) / unit_bytes;
    const double step = nice_step(most, 6);
    for (int i = 0; i * step <= most; ++i) {
      const double y = y_of(static_cast<std::int64_t>(i * step * unit_bytes));
      print("<line class=\"grid\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>", kLeft, y,
            kRight, y);
      print("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g} {}</text>\n", kLeft - 8, y + 4,
            i * step, kUnits[unit]);
    }
    const double span_ms = static_cast<double>(span_us_) / 1000;
    const double step_ms = nice_step(span_ms, 10);
    for (int i = 0; i * step_ms <= span_ms; ++i) {
      const double x = kLeft + i * step_ms / span_ms * (kRight - kLeft);
      print("<line class=\"grid\" x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\"/>", x, kTop, x,
            kBottom);
      print("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n", x, kBottom + 20,
            i * step_ms);
    }
    print("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">ms since the first event</text>\n",
          (kLeft + kRight) / 2, kBottom + 44);
  }

  // An area of steps between the bands below it and those with it.
  void put_band(const Band& band) {
    const auto bytes_at = [&](std::size_t i) { return bytes_of(timeline_.bytes[rows_[i]], band); };
    std::vector<std::int64_t> tops = below_;
    bool is_used = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      tops[i] += bytes_at(i);
      is_used = is_used || bytes_at(i) != 0;
    }
    if (is_used) {
      print("<path fill=\"{}\" d=\"M{} {}", band.color, kLeft, kBottom);
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        print("H{:.1f}V{:.1f}", x_of(timeline_.time_us[rows_[i]]), y_of(tops[i]));
      }
      print("H{}", kRight);
      for (std::size_t i = rows_.size(); i-- > 0;) {
        print("V{:.1f}H{:.1f}", y_of(below_[i]), x_of(timeline_.time_us[rows_[i]]));
      }
      print("Z\"/>\n");
    }
    below_ = std::move(tops);
  }

  const MemoryTimeline& timeline_;
  std::vector<std::size_t> rows_;
  std::vector<std::int64_t> below_;  // Bytes of the bands drawn so far, by drawn row.
  std::string& out_;
  std::int64_t most_bytes_ = 1;
  std::int64_t first_us_ = 0;
  std::int64_t span_us_ = 1;
};

void put_table(const MemoryTimeline& timeline, std::string& out) {
  auto to = std::back_inserter(out);
  const auto peak =
      std::max_element(timeline.bytes.begin(), timeline.bytes.end(),
                       [](const auto& a, const auto& b) { return total(a) < total(b); });
  const CategoryBytes at_peak = peak == timeline.bytes.end() ? CategoryBytes{} : *peak;
  out +=
      "<table>\n<tr><th>Category</th><th>at the peak</th><th>most</th>"
      "<th id=\"time\"></th></tr>\n";
  for (const Band& band : kBands) {
    std::int64_t most = 0;
    for (const CategoryBytes& bytes : timeline.bytes) most = std::max(most, bytes_of(bytes, band));
    fmt::format_to(to,
                   "<tr><td><i style=\"background:{}\"></i>{}</td><td>{}</td><td>{}</td>"
                   "<td class=\"here\"></td></tr>\n",
                   band.color, analyze::memory_category_name(band.category),
                   size_text(bytes_of(at_peak, band)), size_text(most));
  }
  fmt::format_to(to, "<tr><td>All</td><td>{0}</td><td>{0}</td><td class=\"here\"></td></tr>\n",
                 size_text(total(at_peak)));
  out += "</table>\n";
}

}  // namespace

std::string memory_page(const MemoryTimeline& timeline, const MemoryPage& page) {
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<title>Memory of {0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
                 "<h1>Memory of {0}</h1>\n"
                 "<p>Max memory allocated: {2}",
                 page.device, kStyle, size_text(page.peaks.allocated_bytes));
  // Not every allocator tells.
  if (page.peaks.reserved_bytes > 0) {
    fmt::format_to(to, " &middot; max memory reserved: {}", size_text(page.peaks.reserved_bytes));
  }
  out += "</p>\n";
  if (page.simulated) out += "<p class=\"note\">This profile comes from a simulated NPU.</p>\n";
  Picture picture(timeline, out);
  picture.put();
  put_table(timeline, out);
  out += "<script>\n";
  picture.put_points();
  fmt::format_to(to, "{}</script>\n</body>\n</html>\n", kScript);
  return out;
}

}  // namespace npuprof::report
