#pragma once

// Samples written as text, one line each: hccs.data, nic.data, roce.data, dvpp.data and
// netdev_stats.data. Every parser takes one line and returns nothing if the line is damaged.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "format/text_scan.h"

namespace npuprof::format::device {

// hccs.data: `time sent received`. Counters only grow; MB/s = difference / 2^20 / seconds, and a
// pair of lines between which one falls is dropped. The first line of the file is always a header.
struct HccsSample {
  std::uint64_t time_ns = 0;  // Device monotonic.
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
};
inline constexpr std::string_view kHccsHeader = "time(ns) txAmount(B) rxAmount(B)";
std::optional<HccsSample> parse_hccs_line(std::string_view line);
void append_hccs_line(std::string& text, const HccsSample& sample);

// One direction of a network port.
struct NetworkDirection {
  double packets_per_s = 0;
  double bytes_per_s = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  std::uint64_t dropped = 0;
};

// nic.data and roce.data: 14 columns, then perhaps function and type id.
struct NetworkSample {
  std::uint64_t time_ns = 0;  // Device monotonic.
  double bandwidth_mb_s = 0;  // Of the port, not of the traffic.
  NetworkDirection received;
  NetworkDirection sent;
  std::optional<std::uint32_t> function_id;
  std::optional<std::uint32_t> type_id;
};
inline constexpr std::string_view kNetworkHeader =
    "timestamp bandwidth rxPacket/s rxByte/s rxPackets rxBytes rxErrors rxDropped txPacket/s "
    "txByte/s txPackets txBytes txErrors txDropped funcId";
// A line with this word is a header.
inline constexpr std::string_view kNetworkHeaderMark = "rxPacket/s";
std::optional<NetworkSample> parse_network_line(std::string_view line);
void append_network_line(std::string& text, const NetworkSample& sample);

// dvpp.data: load of an image or video engine. Chip 1 and STARS chips have the dvpp_id column.
struct DvppSample {
  double time = 0;  // The colon of the text is read as decimal point.
  std::optional<std::uint32_t> dvpp_id;
  std::uint32_t engine_type = 0;  // VDEC, JPEGD, PNGD, JPEGE, VPC, VENC, SCD.
  std::uint32_t engine_id = 0;
  std::uint64_t all_time = 0;
  std::uint64_t all_frames = 0;
  double all_utilization = 0;  // Percent.
  std::uint64_t process_time = 0;
  std::uint64_t process_frames = 0;
  double process_utilization = 0;  // Percent.
  std::uint64_t last_time = 0;
  std::uint64_t last_frames = 0;
};
inline constexpr std::string_view kDvppHeaderMark = "engine_type";
std::optional<DvppSample> parse_dvpp_line(std::string_view line, bool has_dvpp_id);

// netdev_stats.data: cumulative counters of the network device, no header.
struct NetdevSample {
  static constexpr std::size_t kCounters = 15;
  static constexpr std::array<std::string_view, kCounters> kNames = {
      "mac_tx_pfc_pkt",   "mac_rx_pfc_pkt",  "mac_tx_total_oct", "mac_rx_total_oct",
      "mac_tx_bad_oct",   "mac_rx_bad_oct",  "roce_tx_all_pkt",  "roce_rx_all_pkt",
      "roce_tx_err_pkt",  "roce_rx_err_pkt", "roce_tx_cnp_pkt",  "roce_rx_cnp_pkt",
      "roce_new_pkt_rty", "nic_tx_all_oct",  "nic_rx_all_oct"};

  std::uint64_t time_ns = 0;  // Host monotonic.
  std::array<std::uint64_t, kCounters> counters{};
};
std::optional<NetdevSample> parse_netdev_line(std::string_view line);
void append_netdev_line(std::string& text, const NetdevSample& sample);

// Reads `text` line by line with one of the parsers: `visit` gets each sample. Header lines (those
// with `header_mark` in them, if it is not empty) and empty lines are passed over. Returns the
// number of damaged lines. `skip_lines` first lines are not looked at (hccs.data: 1).
template <typename Parse, typename Visit>
std::size_t for_each_sample_line(std::string_view text, std::size_t skip_lines,
                                 std::string_view header_mark, Parse&& parse, Visit&& visit) {
  std::size_t damaged = 0;
  std::string_view line;
  while (take_line(text, line)) {
    if (skip_lines > 0) {
      --skip_lines;
      // Lines between which the ends were lost are one.
      if (line.find('\0') != std::string_view::npos) ++damaged;
      continue;
    }
    if (trim(line).empty()) continue;
    if (!header_mark.empty() && line.find(header_mark) != std::string_view::npos) continue;
    if (const auto sample = parse(line)) {
      visit(*sample);
    } else {
      ++damaged;
    }
  }
  return damaged;
}

}  // namespace npuprof::format::device
