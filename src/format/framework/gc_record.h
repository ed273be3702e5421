#pragma once

#include "format/record.h"

namespace npuprof::format::framework {

// A bare record of `torch.gc_record`: one garbage collection of the Python interpreter that took at
// least the configured threshold.
//
// | offset | width | field      | unit, meaning                                     |
// |--------|-------|------------|---------------------------------------------------|
// |      0 |     8 | process_id | OS process id; readers take it as thread id, too  |
// |      8 |     8 | start      | host ticks                                        |
// |     16 |     8 | end        | host ticks                                        |
struct GcRecord {
  U64 process_id;
  U64 start;
  U64 end;

  static constexpr void visit(auto& self, auto&& field) {
    field("process_id", self.process_id);
    field("start", self.start);
    field("end", self.end);
  }
};
static_assert(sizeof(GcRecord) == 24);

}  // namespace npuprof::format::framework
