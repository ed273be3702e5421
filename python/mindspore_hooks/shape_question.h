#pragma once

namespace npuprof::mindspore_hooks {

// MindSpore tells the inputs of each operator of PyNative mode, those of backward passes included,
// if its profiler of the NPU wants them; where there is no NPU nobody asks it. From now on the
// answer is `wanted`. False if this version of MindSpore asks in another way, or is not loaded.
// Before MindSpore's first recording: it looks for that profiler once.
bool answer_shape_question(bool wanted);

}  // namespace npuprof::mindspore_hooks
