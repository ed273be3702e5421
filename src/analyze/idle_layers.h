#pragma once

// What a thread was inside of at a moment: nested intervals made flat, so that the innermost one is
// found by a search.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/row.h"

namespace npuprof::analyze {

// What was found at a moment. Nothing: `label` is kNone, and [since_ns, until_ns) is all of the
// time around the moment without anything.
struct LayerHit {
  std::uint32_t label = trace::kNone;
  std::int64_t since_ns = INT64_MIN;
  std::int64_t until_ns = INT64_MAX;
};

// Intervals with labels, in order and without overlap. Remembers where it was, so that questions in
// roughly ascending order cost next to nothing.
class TimeLayer {
 public:
  bool empty() const { return starts_ns_.empty(); }
  LayerHit find(std::int64_t time_ns);

  // Makes nested intervals flat. They come in nesting order (base/sort_order.h); the innermost one
  // wins. begin(start, end, label) adds the next one; empty ones are left out.
  class Builder {
   public:
    explicit Builder(TimeLayer& layer) : layer_(layer) {}
    // The label of the interval that the next one, which starts then, is inside of; else kNone.
    std::uint32_t enclosing(std::int64_t start_ns);
    void begin(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t label);
    void finish();

   private:
    struct Open {
      std::int64_t end_ns;
      std::uint32_t label;
    };
    void close_until(std::int64_t time_ns);
    void emit(std::int64_t end_ns, std::uint32_t label);

    TimeLayer& layer_;
    std::vector<Open> open_;
    std::int64_t cursor_ns_ = INT64_MIN;
  };

 private:
  std::vector<std::int64_t> starts_ns_;
  std::vector<std::int64_t> ends_ns_;
  std::vector<std::uint32_t> labels_;
  std::size_t place_ = 0;  // How many had started at the last question.
};

}  // namespace npuprof::analyze
