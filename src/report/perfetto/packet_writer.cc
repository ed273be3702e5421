#include "report/perfetto/packet_writer.h"

#include <algorithm>
#include <new>
#include <utility>

#include <zlib.h>

namespace npuprof::report {
namespace {

using namespace perfetto;

// One for a whole file: each chunk says that it begins with an empty table of strings.
constexpr std::uint64_t kSequenceId = 1;

// Bytes compressed together. The format asks for less than 512 KB a block; the window of the
// compression is much smaller, so larger blocks would not be better.
constexpr std::size_t kBlockBytes = 1 << 18;

// Level 6 takes twice as long for a file that is 5 % smaller.
constexpr int kCompressionLevel = 3;

// Mixes all bits (the finalizer of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t InternedTexts::number(std::string_view text, ProtoBuffer& interned) {
  const std::size_t known = pool_.size();
  const std::uint32_t id = to_index(pool_.intern(text));
  const bool is_new = id == 0 ? !std::exchange(has_empty_, true) : id >= known;
  // In a trace 0 means none; in the pool it is the empty text, which is always there.
  const std::uint64_t number = std::uint64_t{id} + 1;
  if (is_new) {
    entry_.clear();
    entry_.varint(InternedField::kId, number);
    entry_.bytes(InternedField::kText, text);
    interned.bytes(field_, entry_.view());
  }
  return number;
}

struct Deflater::State {
  z_stream stream{};
};

Deflater::Deflater() : state_(std::make_unique<State>()) {
  if (::deflateInit(&state_->stream, kCompressionLevel) != Z_OK) throw std::bad_alloc();
}

Deflater::~Deflater() { ::deflateEnd(&state_->stream); }

std::string_view Deflater::deflate(std::string_view input) {
  z_stream& stream = state_->stream;
  ::deflateReset(&stream);
  output_.resize(std::max<std::size_t>(output_.size(), ::deflateBound(&stream, input.size())));
  // zlib does not change its input, but does not say so either.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(output_.data());
  stream.avail_out = static_cast<uInt>(output_.size());
  ::deflate(&stream, Z_FINISH);  // Succeeds, as there is room for the worst case.
  return {output_.data(), output_.size() - stream.avail_out};
}

void PacketWriter::begin(EventType type, std::int64_t time_ns, std::uint64_t track_uuid) {
  event_.clear();
  interned_.clear();
  needs_state_ = false;
  time_ns_ = std::max<std::int64_t>(0, time_ns);
  event_.varint(EventField::kType, static_cast<std::uint64_t>(type));
  event_.varint(EventField::kTrackUuid, track_uuid);
}

void PacketWriter::arrow(ArrowKind kind, std::uint64_t id) {
  const std::uint64_t salt = mixed(flow_salt_ + static_cast<std::uint64_t>(kind));
  event_.fixed64(EventField::kFlowIds, mixed(salt ^ id));
}

void PacketWriter::end() {
  packet_.clear();
  packet_.varint(PacketField::kTimestamp, static_cast<std::uint64_t>(time_ns_));
  packet_.bytes(PacketField::kTrackEvent, event_.view());
  packet_.varint(PacketField::kSequenceId, kSequenceId);
  if (interned_.size() > 0) packet_.bytes(PacketField::kInternedData, interned_.view());
  const std::uint64_t flags = (is_first_ ? kStateCleared : 0) | (needs_state_ ? kNeedsState : 0);
  if (flags != 0) packet_.varint(PacketField::kSequenceFlags, flags);
  is_first_ = false;
  packets_.bytes(TraceField::kPacket, packet_.view());
  if (packets_.size() >= kBlockBytes) flush();
}

void PacketWriter::counter(std::int64_t time_ns, std::uint64_t track_uuid, double value) {
  begin(EventType::kCounter, time_ns, track_uuid);
  event_.real(EventField::kDoubleCounterValue, value);
  end();
}

void PacketWriter::flush() {
  if (packets_.size() == 0) return;
  packet_.clear();
  packet_.bytes(PacketField::kCompressedPackets, deflater_.deflate(packets_.view()));
  packets_.clear();
  ProtoBuffer outer(packet_.size() + 16);
  outer.bytes(TraceField::kPacket, packet_.view());
  out_.text(outer.view());
}

}  // namespace npuprof::report
