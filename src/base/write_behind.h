#pragma once

#include <cstdint>

namespace npuprof {

// Results may be larger than the memory of the machine, which the job that is profiled wants for
// itself; and pages that the page cache takes anew cost more than the copy into them. So a large
// file is sent to the disk while it is written, and all but its newest part leaves the cache again.

// The bytes [begin, end) of an open file have just been written. May be called from several
// threads, in any order of their ranges; does not wait until the disk has them. Small files stay in
// the cache.
void write_behind(int descriptor, std::uint64_t begin, std::uint64_t end);

}  // namespace npuprof
