#pragma once

namespace npuprof {

// Empties a container and gives its memory back. `container = {}` keeps the memory where there is
// an assignment from a list, as vectors have.
template <typename Container>
void release_memory(Container& container) {
  Container empty;
  container.swap(empty);
}

}  // namespace npuprof
