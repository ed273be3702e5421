#include "report/text/gzip.h"

#include <algorithm>
#include <array>
#include <memory>

#include <zlib.h>

#include "base/file.h"

namespace npuprof::report {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

// Compresses `input` to the end of `file`; `flush` says whether more follows.
bool compress(z_stream& stream, Bytes input, int flush, FileWriter& file) {
  std::array<std::byte, 1 << 16> output;
  // zlib does not change its input, but does not say so either.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(output.size());
    if (::deflate(&stream, flush) == Z_STREAM_ERROR) return false;
    file.write(Bytes(output.data(), output.size() - stream.avail_out));
  } while (stream.avail_out == 0);
  return true;
}

}  // namespace

Status gzip_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  constexpr int kGzip = 16;  // Added to the size of the window.
  constexpr int kMemoryLevel = 8;
  NPUPROF_ASSIGN_OR_RETURN(const auto input, MappedFile::open(from));
  NPUPROF_ASSIGN_OR_RETURN(auto file, FileWriter::create(to));
  z_stream stream{};
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error{ErrorCode::kInternal, "'" + to.native() + "' could not be compressed"};
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, ::deflateEnd);
  const Bytes bytes = input.bytes();
  std::size_t done = 0;
  do {
    const std::size_t size = std::min(kChunkBytes, bytes.size() - done);
    const bool is_last = done + size == bytes.size();
    if (!compress(stream, bytes.subspan(done, size), is_last ? Z_FINISH : Z_NO_FLUSH, file)) {
      return Error{ErrorCode::kInternal, "'" + to.native() + "' could not be compressed"};
    }
    input.forget(done, done + size);
    done += size;
  } while (done < bytes.size());
  return file.close();
}

}  // namespace npuprof::report
