#pragma once

// Where things are that tests use. Functions of a file of their own, so that the objects of all
// other tests do not depend on the place, and a compiler cache can share them between check-outs.

namespace npuprof::testing {

const char* source_directory();
const char* npuprof_program();
const char* simulated_library();    // The simulated CANN.
const char* simulated_libraries();  // The folder with its parts under the vendor's names.

}  // namespace npuprof::testing

#define NPUPROF_SOURCE_DIR ::npuprof::testing::source_directory()
#define NPUPROF_PROGRAM ::npuprof::testing::npuprof_program()
#define NPUSIM_LIBRARY ::npuprof::testing::simulated_library()
#define NPUSIM_LIBRARIES ::npuprof::testing::simulated_libraries()
