#pragma once

namespace npuprof {

// Memory that is used only while an exception is on its way, such as the one that says that there
// is no memory left. Destructors that it passes may need some (those of JSON values do) and one
// that gets none ends the process. To be called at the start of a program, and where an exception
// of that kind was caught, for the next.
void keep_memory_reserve();

}  // namespace npuprof
