#pragma once

// Reads a Perfetto trace as its own tools do, with code that shares nothing with the writer: fields
// of protocol buffers, compressed packets, strings by number, events in order of time (those of
// equal time in the order of the file), and a stack of open slices for each track.

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <zlib.h>

namespace npuprof::testing {

struct ProtoField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  // Of integers and of fixed 64 bits.
  std::string_view bytes;   // Of texts and messages.
};

inline std::uint64_t read_varint(std::string_view& input) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (input.empty()) throw std::runtime_error("a varint is cut off");
    const auto byte = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("a varint has more than 10 bytes");
}

inline std::vector<ProtoField> read_message(std::string_view input) {
  std::vector<ProtoField> fields;
  while (!input.empty()) {
    const std::uint64_t tag = read_varint(input);
    ProtoField field{.number = tag >> 3};
    std::size_t size = 0;
    switch (tag & 7) {
      case 0:
        field.value = read_varint(input);
        break;
      case 1:
        size = 8;
        break;
      case 2:
        size = read_varint(input);
        break;
      default:
        throw std::runtime_error("a wire type that traces do not have");
    }
    if (size > input.size()) throw std::runtime_error("a field is cut off");
    field.bytes = input.substr(0, size);
    input.remove_prefix(size);
    for (std::size_t i = 0; (tag & 7) == 1 && i < 8; ++i) {
      field.value |= std::uint64_t{static_cast<unsigned char>(field.bytes[i])} << (8 * i);
    }
    fields.push_back(field);
  }
  return fields;
}

struct ReadTrack {
  std::uint64_t parent = 0;
  std::string name;  // Of a process its name.
  bool is_process = false;
  bool is_counter = false;
  std::int64_t pid = 0;
  std::uint64_t order = 0;
  std::uint64_t merge_key = 0;
};

using ReadValue = std::variant<std::uint64_t, std::int64_t, double, std::string>;

struct ReadSlice {
  std::uint64_t track = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::size_t depth = 0;
  std::string name;
  std::string category;
  std::map<std::string, ReadValue> arguments;
  std::vector<std::uint64_t> flows;
};

struct ReadSample {
  std::uint64_t track = 0;
  std::int64_t time_ns = 0;
  double value = 0;
};

class PerfettoTraceReader {
 public:
  explicit PerfettoTraceReader(std::string_view file) {
    for (const ProtoField& packet : read_message(file)) {
      if (packet.number != 1) throw std::runtime_error("not a packet");
      read_packet(packet.bytes);
    }
    replay();
  }

  std::map<std::uint64_t, ReadTrack> tracks;
  std::vector<ReadSlice> slices;
  std::vector<ReadSample> samples;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> clocks;  // Number and time.
  std::size_t largest_packet = 0;
  std::size_t chunks = 0;  // How often the table of strings began anew.

 private:
  struct Event {
    std::int64_t time_ns = 0;
    std::uint64_t type = 0;
    ReadSlice slice;
    double value = 0;
  };
  using Texts = std::map<std::uint64_t, std::string>;

  void read_packet(std::string_view packet) {
    largest_packet = std::max(largest_packet, packet.size());
    const std::vector<ProtoField> fields = read_message(packet);
    std::uint64_t flags = 0;
    std::uint64_t time = 0;
    for (const ProtoField& field : fields) {
      if (field.number == 13) flags = field.value;
      if (field.number == 8) time = field.value;
    }
    if ((flags & 1) != 0) {
      texts_.clear();
      ++chunks;
    }
    for (const ProtoField& field : fields) {  // Strings count for the packet that brings them.
      if (field.number == 12) read_interned(field.bytes);
    }
    for (const ProtoField& field : fields) {
      if (field.number == 50) read_compressed(field.bytes);
      if (field.number == 60) read_track(field.bytes);
      if (field.number == 11) read_event(static_cast<std::int64_t>(time), field.bytes);
      if (field.number != 6) continue;
      for (const ProtoField& clock : read_message(field.bytes)) {
        const auto parts = read_message(clock.bytes);
        clocks.emplace_back(parts.at(0).value, parts.at(1).value);
      }
    }
  }

  void read_compressed(std::string_view input) {
    std::string output(1 << 20, '\0');
    uLongf size = output.size();
    while (true) {
      const int status = ::uncompress(reinterpret_cast<Bytef*>(output.data()), &size,
                                      reinterpret_cast<const Bytef*>(input.data()), input.size());
      if (status == Z_OK) break;
      if (status != Z_BUF_ERROR) throw std::runtime_error("cannot uncompress");
      output.resize(output.size() * 2);
      size = output.size();
    }
    for (const ProtoField& packet : read_message({output.data(), size})) read_packet(packet.bytes);
  }

  void read_interned(std::string_view message) {
    for (const ProtoField& field : read_message(message)) {
      const auto parts = read_message(field.bytes);
      texts_[field.number][parts.at(0).value] = parts.at(1).bytes;
    }
  }

  void read_track(std::string_view message) {
    std::uint64_t uuid = 0;
    ReadTrack track;
    for (const ProtoField& field : read_message(message)) {
      if (field.number == 1) uuid = field.value;
      if (field.number == 2) track.name = field.bytes;
      if (field.number == 5) track.parent = field.value;
      if (field.number == 8) track.is_counter = true;
      if (field.number == 12) track.order = field.value;
      if (field.number == 17) track.merge_key = field.value;
      if (field.number != 3) continue;
      track.is_process = true;
      for (const ProtoField& part : read_message(field.bytes)) {
        if (part.number == 1) track.pid = static_cast<std::int64_t>(part.value);
        if (part.number == 6) track.name = part.bytes;
      }
    }
    // Track 0 is that of the whole trace, in every file.
    const bool is_new = tracks.emplace(uuid, track).second;
    if (!is_new && uuid != 0) throw std::runtime_error("a track is declared twice");
  }

  void read_argument(std::string_view message, ReadSlice& slice) {
    const auto fields = read_message(message);
    const std::string& key = texts_.at(3).at(fields.at(0).value);
    const ProtoField& value = fields.at(1);
    ReadValue& argument = slice.arguments[key];
    if (value.number == 3) argument = value.value;
    if (value.number == 4) argument = static_cast<std::int64_t>(value.value);
    if (value.number == 5) argument = std::bit_cast<double>(value.value);
    if (value.number == 17) argument = texts_.at(29).at(value.value);
  }

  void read_event(std::int64_t time_ns, std::string_view message) {
    Event event{.time_ns = time_ns};
    for (const ProtoField& field : read_message(message)) {
      if (field.number == 9) event.type = field.value;
      if (field.number == 11) event.slice.track = field.value;
      if (field.number == 10) event.slice.name = texts_.at(2).at(field.value);
      if (field.number == 3) event.slice.category = texts_.at(1).at(field.value);
      if (field.number == 4) read_argument(field.bytes, event.slice);
      if (field.number == 47) event.slice.flows.push_back(field.value);
      if (field.number == 44) event.value = std::bit_cast<double>(field.value);
    }
    if (!tracks.contains(event.slice.track)) throw std::runtime_error("an event without a track");
    events_.push_back(std::move(event));
  }

  void replay() {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
    std::map<std::uint64_t, std::vector<std::size_t>> open;
    for (Event& event : events_) {
      std::vector<std::size_t>& stack = open[event.slice.track];
      event.slice.start_ns = event.time_ns;
      event.slice.end_ns = event.time_ns;
      event.slice.depth = stack.size();
      if (event.type == 1) stack.push_back(slices.size());
      if (event.type == 1 || event.type == 3) slices.push_back(event.slice);
      if (event.type == 4) samples.push_back({event.slice.track, event.time_ns, event.value});
      if (event.type != 2) continue;
      if (stack.empty()) throw std::runtime_error("an end without a begin");
      slices[stack.back()].end_ns = event.time_ns;
      stack.pop_back();
    }
    for (const auto& [track, stack] : open) {
      if (!stack.empty()) throw std::runtime_error("a slice that does not end");
    }
  }

  std::map<std::uint64_t, Texts> texts_;  // By field of InternedData.
  std::vector<Event> events_;
};

}  // namespace npuprof::testing
