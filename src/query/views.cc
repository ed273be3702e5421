#include "query/views.h"

#include <array>

#include "trace/linked/kernels.h"
#include "trace/row.h"

namespace npuprof::query {
namespace {

// Numbers that stand in the statements below.
static_assert(static_cast<int>(trace::KernelKind::kCompute) == 0);
static_assert(trace::kNone == 4294967295);

// Outer parts of left joins are looked up by row number, so they cost a view nothing that does not
// show them: SQLite leaves them out.
constexpr std::array kAllViews = {
    View{
        "step",
        "Steps with their time on the host and on the device.",
        "SELECT s.id AS step, s.host_start_ns, s.host_end_ns,"
        " s.host_end_ns - s.host_start_ns AS host_ns, s.device_start_ns, s.device_end_ns,"
        " s.device_end_ns - s.device_start_ns AS device_ns, s.has_kernels, s.rowid AS step_row"
        " FROM steps s",
    },
    View{
        "kernel",
        "Operators that ran on the device, with step, stream, shapes and the operator of the "
        "framework that launched them.",
        "SELECT k.name, k.op_type AS type, k.task_type AS core, t.start_ns, t.end_ns,"
        " t.end_ns - t.start_ns AS duration_ns, s.id AS step, t.device, t.stream,"
        " k.block_num, k.input_shapes, k.input_dtypes, k.input_formats, k.output_shapes,"
        " k.output_dtypes, k.output_formats, o.name AS operator, p.op AS operator_row,"
        " nullif(t.launch_ns, 0) AS launch_ns, k.task AS task_row, k.rowid AS kernel_row"
        " FROM kernels k JOIN tasks t ON t.rowid = k.task"
        " LEFT JOIN task_places p ON p.rowid = k.task"
        " LEFT JOIN steps s ON s.rowid = p.step"
        " LEFT JOIN framework_ops o ON o.rowid = p.op"
        " WHERE k.kind = 0",
    },
    View{
        "task",
        "Everything the device did, with type, step and the call of the host that launched it.",
        "SELECT t.kernel_name AS name, t.shown_type AS type, t.start_ns, t.end_ns,"
        " t.end_ns - t.start_ns AS duration_ns, s.id AS step, t.device, t.stream, t.task,"
        " nullif(t.launch_ns, 0) AS launch_ns, a.name AS api, t.tid,"
        " CASE WHEN t.copy_direction <> 4294967295 THEN t.copy_bytes END AS copy_bytes,"
        " t.api AS api_row, t.kernel AS kernel_row, t.rowid AS task_row"
        " FROM tasks t LEFT JOIN task_places p ON p.rowid = t.rowid"
        " LEFT JOIN steps s ON s.rowid = p.step"
        " LEFT JOIN api_calls a ON a.rowid = t.api",
    },
    View{
        "collective",
        "Collective operations with group, step and duration.",
        "SELECT c.name, c.type, c.group_name, c.start_ns, c.end_ns,"
        " c.end_ns - c.start_ns AS duration_ns, s.id AS step, c.device, c.count, c.data_type,"
        " c.algorithm, c.rank_size, c.api AS api_row, c.rowid AS collective_row"
        " FROM collective_ops c LEFT JOIN collective_places p ON p.rowid = c.rowid"
        " LEFT JOIN steps s ON s.rowid = p.step",
    },
    View{
        "operator",
        "Operators of the framework with their time on the host and on the device; self is "
        "without nested operators.",
        "SELECT o.name, o.start_ns, o.end_ns, o.end_ns - o.start_ns AS host_ns,"
        " t.host_self_ns, t.device_total_ns AS device_ns, t.device_self_ns, o.tid,"
        " o.input_shapes, o.input_dtypes, o.stack, u.name AS parent, o.parent AS parent_row,"
        " o.rowid AS operator_row"
        " FROM framework_ops o LEFT JOIN operator_times t ON t.rowid = o.rowid"
        " LEFT JOIN framework_ops u ON u.rowid = o.parent",
    },
    View{"ops", "The same as operator.", "SELECT * FROM operator"},
    View{
        "module",
        "Calls of modules with their time on the host and that of what they launched on the "
        "device, forward and backward; self is without inner modules.",
        "SELECT CASE WHEN m.name LIKE 'nn.Module: %' THEN substr(m.name, 12) ELSE m.name END"
        " AS name, m.start_ns, m.end_ns, m.end_ns - m.start_ns AS host_ns, s.id AS step,"
        " m.forward_ns + m.backward_ns AS device_ns, m.forward_ns, m.backward_ns,"
        " m.forward_self_ns + m.backward_self_ns AS device_self_ns, m.depth,"
        " nullif(m.parent, 4294967295) AS parent_row, m.rowid AS module_row"
        " FROM module_calls m LEFT JOIN steps s ON s.rowid = m.step",
    },
    View{"modules", "The same as module.", "SELECT * FROM module"},
    View{
        "api_call",
        "Calls of CANN on the host with their duration.",
        "SELECT a.name, a.item_name, a.level, a.start_ns, a.end_ns,"
        " a.end_ns - a.start_ns AS duration_ns, a.tid, a.rowid AS api_row FROM api_calls a",
    },
    View{
        "python_call",
        "Calls of Python functions and modules with their duration.",
        "SELECT p.name, p.start_ns, p.end_ns, p.end_ns - p.start_ns AS duration_ns, p.tid,"
        " p.rowid AS call_row FROM python_calls p",
    },
    View{
        "idle",
        "Intervals in which a device neither computed nor communicated, with their cause; evidence "
        "and evidence_row are a table and its row.",
        "SELECT i.device, i.start_ns, i.end_ns, i.end_ns - i.start_ns AS duration_ns,"
        " s.id AS step, i.cause, nullif(i.detail, '') AS detail,"
        " nullif(i.thread, 4294967295) AS thread, nullif(i.evidence, '') AS evidence,"
        " nullif(i.evidence_row, 4294967295) AS evidence_row, i.is_guess,"
        " nullif(i.task, 4294967295) AS task_row"
        " FROM idle_pieces i LEFT JOIN steps s ON s.rowid = i.step",
    },
    View{
        "allocation",
        "Blocks of memory of the framework: size, the operator that took it, when it was taken "
        "and given back.",
        "SELECT a.owner_name AS operator, m.size_bytes, m.device_type, m.device_index,"
        " m.time_ns AS start_ns, f.time_ns AS end_ns, f.time_ns - m.time_ns AS duration_ns,"
        " m.address, m.total_allocated_bytes, m.total_reserved_bytes, m.owner AS operator_row,"
        " a.rowid AS allocation_row"
        " FROM allocations a JOIN memory_events m ON m.rowid = a.malloc_event"
        " LEFT JOIN memory_events f ON f.rowid = a.free_event",
    },
};

}  // namespace

std::span<const View> all_views() { return kAllViews; }

}  // namespace npuprof::query
