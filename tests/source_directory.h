#pragma once

namespace npuprof::testing {

// Where the source tree is. A function of its own file, so that the objects of all other tests do
// not depend on the place and a compiler cache can share them between check-outs.
const char* source_directory();

}  // namespace npuprof::testing

#define NPUPROF_SOURCE_DIR ::npuprof::testing::source_directory()
