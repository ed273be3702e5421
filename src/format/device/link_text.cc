#include "format/device/link_text.h"

#include <iterator>

#include <fmt/format.h>

namespace npuprof::format::device {
namespace {

constexpr std::size_t kLongestNumber = 40;

// A time with the colons taken out ("12:500" is 12500).
std::optional<std::uint64_t> parse_time(std::string_view word) {
  if (word.size() > kLongestNumber) return std::nullopt;
  std::array<char, kLongestNumber> digits;
  std::size_t count = 0;
  for (const char c : word) {
    if (c != ':') digits[count++] = c;
  }
  return parse_number<std::uint64_t>({digits.data(), count});
}

// A counter; some writers print it with decimals.
std::optional<std::uint64_t> parse_count(std::string_view word) {
  if (const auto whole = parse_number<std::uint64_t>(word)) return whole;
  const auto real = parse_number<double>(word);
  if (!real || !(*real >= 0) || !(*real < 18446744073709551615.0)) return std::nullopt;
  return static_cast<std::uint64_t>(*real);
}

// A percentage with or without its sign.
std::optional<double> parse_percent(std::string_view word) {
  if (word.ends_with('%')) word.remove_suffix(1);
  return parse_number<double>(word);
}

// Takes words off a line one after the other; after the first failure everything is 0 and ok()
// false.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(trim(line)) {}

  std::uint64_t time() { return next(parse_time); }
  std::uint64_t count() { return next(parse_count); }
  double real() { return next(parse_number<double>); }
  double percent() { return next(parse_percent); }
  std::uint32_t number() { return next(parse_number<std::uint32_t>); }

  bool ok() const { return ok_; }
  bool at_end() const { return trim(rest_).empty(); }
  bool complete() const { return ok_ && at_end(); }

 private:
  template <typename T>
  T next(std::optional<T> (*parse)(std::string_view)) {
    const auto value = parse(take_word(rest_));
    ok_ = ok_ && value.has_value();
    return value.value_or(T{});
  }

  std::string_view rest_;
  bool ok_ = true;
};

NetworkDirection read_direction(LineReader& reader) {
  NetworkDirection direction;
  direction.packets_per_s = reader.real();
  direction.bytes_per_s = reader.real();
  direction.packets = reader.count();
  direction.bytes = reader.count();
  direction.errors = reader.count();
  direction.dropped = reader.count();
  return direction;
}

void append_direction(std::string& text, const NetworkDirection& direction) {
  fmt::format_to(std::back_inserter(text), " {:.0f} {:.0f} {} {} {} {}", direction.packets_per_s,
                 direction.bytes_per_s, direction.packets, direction.bytes, direction.errors,
                 direction.dropped);
}

}  // namespace

std::optional<HccsSample> parse_hccs_line(std::string_view line) {
  LineReader reader(line);
  HccsSample sample;
  sample.time_ns = reader.time();
  sample.sent_bytes = reader.count();
  sample.received_bytes = reader.count();
  if (!reader.complete()) return std::nullopt;
  return sample;
}

void append_hccs_line(std::string& text, const HccsSample& sample) {
  fmt::format_to(std::back_inserter(text), "{} {} {}\n", sample.time_ns, sample.sent_bytes,
                 sample.received_bytes);
}

std::optional<NetworkSample> parse_network_line(std::string_view line) {
  LineReader reader(line);
  NetworkSample sample;
  sample.time_ns = reader.time();
  sample.bandwidth_mb_s = reader.real();
  sample.received = read_direction(reader);
  sample.sent = read_direction(reader);
  if (!reader.ok()) return std::nullopt;
  if (!reader.at_end()) sample.function_id = reader.number();
  if (!reader.at_end()) sample.type_id = reader.number();
  if (!reader.complete()) return std::nullopt;
  return sample;
}

void append_network_line(std::string& text, const NetworkSample& sample) {
  fmt::format_to(std::back_inserter(text), "{} {:.0f}", sample.time_ns, sample.bandwidth_mb_s);
  append_direction(text, sample.received);
  append_direction(text, sample.sent);
  if (sample.function_id) fmt::format_to(std::back_inserter(text), " {}", *sample.function_id);
  // A type id without a function id would be read as one.
  if (sample.function_id && sample.type_id) {
    fmt::format_to(std::back_inserter(text), " {}", *sample.type_id);
  }
  text += '\n';
}

std::optional<DvppSample> parse_dvpp_line(std::string_view line, bool has_dvpp_id) {
  std::string_view rest = trim(line);
  std::string time(take_word(rest).substr(0, kLongestNumber));
  for (char& c : time) {
    if (c == ':') c = '.';
  }
  const auto seconds = parse_number<double>(time);
  if (!seconds) return std::nullopt;
  LineReader reader(rest);
  DvppSample sample;
  sample.time = *seconds;
  if (has_dvpp_id) sample.dvpp_id = reader.number();
  sample.engine_type = reader.number();
  sample.engine_id = reader.number();
  sample.all_time = reader.count();
  sample.all_frames = reader.count();
  sample.all_utilization = reader.percent();
  sample.process_time = reader.count();
  sample.process_frames = reader.count();
  sample.process_utilization = reader.percent();
  sample.last_time = reader.count();
  sample.last_frames = reader.count();
  if (!reader.complete()) return std::nullopt;
  return sample;
}

std::optional<NetdevSample> parse_netdev_line(std::string_view line) {
  LineReader reader(line);
  NetdevSample sample;
  sample.time_ns = reader.time();
  for (std::uint64_t& counter : sample.counters) counter = reader.count();
  if (!reader.complete()) return std::nullopt;
  return sample;
}

void append_netdev_line(std::string& text, const NetdevSample& sample) {
  fmt::format_to(std::back_inserter(text), "{} {}\n", sample.time_ns,
                 fmt::join(sample.counters, " "));
}

}  // namespace npuprof::format::device
