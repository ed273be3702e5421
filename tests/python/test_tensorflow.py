"""Real programs of TensorFlow on the simulated NPU."""

import csv
import glob
import os
import textwrap

import pytest
from conftest import PYTHON_DIRECTORY, ROOT
from peer_tools import install, run

from npuprof import _backend, _parser

pytestmark = pytest.mark.skipif(_backend._native is None, reason="needs the compiled modules")

_TENSORFLOW = "tensorflow-cpu==2.21.0"

# All programs run in one process of TensorFlow each: its import takes seconds.
_HEAD = """
import numpy as np
import tensorflow as tf
import npuprof.tensorflow as npu_device
"""

_SESSION = _HEAD + """
v1 = tf.compat.v1
graph = tf.Graph()
with graph.as_default():
    v1.set_random_seed(7)
    x = v1.placeholder(tf.float32, [None, 64], name="x")
    hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, v1.get_variable("w0", [64, 32])),
                                       v1.get_variable("b0", [32])))
    loss = tf.reduce_mean(tf.square(tf.matmul(hidden, v1.get_variable("w1", [32, 8]))))
    step = v1.train.get_or_create_global_step()
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    config = v1.ConfigProto()
    custom = config.graph_options.rewrite_options.custom_optimizers.add()
    custom.name = "NpuOptimizer"
    custom.parameter_map["use_off_line"].b = True
    custom.parameter_map["profiling_mode"].b = True
    custom.parameter_map["profiling_options"].s = tf.compat.as_bytes(
        '{"output":"out","training_trace":"on","aicpu":"on","aic_metrics":"PipeUtilization"}')
    with v1.Session(config=config) as session:
        session.run(v1.global_variables_initializer())
        losses = [session.run([train, loss], {x: np.ones((16, 64), np.float32)})[1]
                  for _ in range(4)]
assert losses[-1] < losses[0]
"""

_MONITORED = _HEAD + """
v1 = tf.compat.v1
class Watch(v1.train.SessionRunHook):
    def before_run(self, context):
        return v1.train.SessionRunArgs({"loss": loss, "inside": [hidden, None][:1]})
with tf.Graph().as_default():
    data = tf.data.Dataset.from_tensors(np.ones((16, 64), np.float32)).repeat()
    x = v1.data.make_one_shot_iterator(data).get_next()
    hidden = tf.matmul(x, v1.get_variable("w", [64, 32]))
    loss = tf.reduce_mean(tf.square(hidden))
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    options = '{"output":"out","training_trace":"on"}'
    config = npu_device.session_config(npu_device.ProfilingConfig(True, options))
    with v1.train.MonitoredSession(v1.train.ChiefSessionCreator(config=config),
                                   hooks=[Watch(), Watch()]) as session:
        for _ in range(3):
            session.run(train)
"""

_FUNCTION = _HEAD + """
npu_device.global_options().profiling_config.enable_profiling = True
npu_device.global_options().profiling_config.profiling_options = '{"output":"out"}'
npu_device.open().as_default()
weight = tf.Variable(tf.ones([32, 32]))

@tf.function
def inner(data):
    return tf.nn.relu(tf.matmul(data, weight))

@tf.function
def step(data):
    return tf.reduce_sum(inner(data))

data = tf.ones([8, 32])
total = data + 1.0           # An operator outside graphs.
for _ in range(3):
    result = step(data)
assert float(result) == 8 * 32 * 32
npu_device.close()
"""

_LOCAL = _HEAD + """
from npuprof.tensorflow.profiler import Profiler
v1 = tf.compat.v1
with tf.Graph().as_default(), v1.Session() as session:
    y = tf.matmul(tf.ones([16, 16]), tf.ones([16, 16]))
    session.run(y)
    for part in ("first", "second"):
        with Profiler(level="L1", output_path=part):
            session.run(y)
            session.run(y)
"""


_KEYS = _HEAD + """
v1 = tf.compat.v1
for options in (5, ["{}"]):
    try:
        npu_device.session_config(npu_device.ProfilingConfig(True, options))
        raise SystemExit(f"{options} is taken for a text")
    except TypeError:
        pass
keys = npu_device.session_config(npu_device.ProfilingConfig(1)).graph_options.rewrite_options \\
    .custom_optimizers[0].parameter_map
assert keys["profiling_mode"].b is True and keys["profiling_options"].s == b""

config = npu_device.session_config(npu_device.ProfilingConfig(True))
off_line = npu_device.session_config(npu_device.ProfilingConfig(True))
off_line.graph_options.rewrite_options.custom_optimizers[0].parameter_map["use_off_line"].b = False
with tf.Graph().as_default():
    y = tf.matmul(tf.ones([16, 16]), tf.ones([16, 16]))
    for chosen in (off_line, config):
        with v1.Session(config=chosen) as session:
            session.run(y)
"""


# Another version, by hand: its interpreter and the package built for it, joined by a colon.
_OTHER = os.environ.get("NPUPROF_TEST_TENSORFLOW")


@pytest.fixture(scope="module")
def python():
    """The interpreter with TensorFlow."""
    if _OTHER:
        return _OTHER.partition(":")[0]
    return os.path.join(install(_TENSORFLOW), "bin", "python")


@pytest.fixture(scope="module")
def has_functions(python):
    """Whether functions and operators run when they are called, which TensorFlow 1 has to be asked for."""
    if not _OTHER:
        return True
    version = run(python, "-c", "import pkg_resources; "
                  "print(next(found.version for found in pkg_resources.working_set "
                  "if found.key in ('tensorflow', 'tensorflow-cpu')))")
    return not version.stdout.strip().splitlines()[-1].startswith("1.")


def _run(python, program, directory, **variables):
    path = directory / "program.py"
    path.write_text(program, encoding="utf-8")
    package = _OTHER.partition(":")[2] if _OTHER else PYTHON_DIRECTORY
    environment = dict(os.environ, PYTHONPATH=package, NPUPROF_SIMULATE="1",
                       TF_CPP_MIN_LOG_LEVEL="3", **variables)
    done = run(python, path, cwd=directory, env=environment, timeout=300)
    assert done.returncode == 0, done.stdout
    return done.stdout


def _parsed(directory, *options):
    done = run(_parser.binary(), "parse", directory, *options)
    assert done.returncode == 0, done.stdout
    return sorted(glob.glob(f"{directory}/PROF_*/mindstudio_profiler_output"))


def _rows(folder, stem):
    paths = glob.glob(f"{folder}/{stem}_*.csv")
    assert paths, f"{stem} is not among {sorted(os.listdir(folder))}"
    rows = []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            rows += [{key: value.strip() for key, value in row.items()}
                     for row in csv.DictReader(file)]
    return rows


def test_a_session_leaves_iterations_kernels_and_fused_operators(python, tmp_path):
    printed = _run(python, _SESSION, tmp_path)
    assert "simulated" in printed
    results = _parsed(tmp_path / "out")
    assert len(results) == 1
    steps = [row for row in _rows(results[0], "step_trace") if row["FP Start(us)"] != "N/A"]
    assert len(steps) == 4
    assert all(float(row["BP End(us)"]) > float(row["FP Start(us)"]) for row in steps)
    ops = _rows(results[0], "op_summary")
    products = [row for row in ops if row["OP Type"] == "MatMulV2"]
    assert len(products) % 4 == 0 and products
    assert any(row["Input Shapes"].startswith('"16,64;64,32') for row in products), products[0]
    assert {row["Model ID"] for row in ops} >= {steps[0]["Model ID"]}
    fused = _rows(results[0], "fusion_op")
    assert fused[0]["Original Ops"] == "MatMul;BiasAdd"
    assert "aic_total_cycles" in ops[0]


def test_runs_of_a_monitored_session_with_hooks_are_iterations(python, tmp_path):
    printed = _run(python, _MONITORED, tmp_path)
    assert "cannot be followed" not in printed
    results = _parsed(tmp_path / "out")
    steps = [row for row in _rows(results[0], "step_trace") if row["FP Start(us)"] != "N/A"]
    assert len(steps) == 3, steps


def test_functions_and_operators_outside_are_followed(python, has_functions, tmp_path):
    if not has_functions:
        pytest.skip("TensorFlow 1 runs sessions")
    _run(python, _FUNCTION, tmp_path)
    results = _parsed(tmp_path / "out")
    ops = _rows(results[0], "op_summary")
    inside = [row for row in ops if row["Op Name"].endswith("/MatMul")]
    assert len(inside) == 3 and {row["OP Type"] for row in inside} == {"MatMulV2"}
    assert {row["Model ID"] for row in inside} == {"1"}
    outside = [row for row in ops if row["Op Name"] == "AddV2"]
    assert outside and outside[0]["Model ID"] in ("4294967295", "N/A")


# In iteration i of the outer loop the inner one runs i times, and every other one takes a branch.
_LOOPS = _HEAD + """
v1 = tf.compat.v1
npu_device.global_options().profiling_config.enable_profiling = True
npu_device.global_options().profiling_config.profiling_options = '{"output":"out"}'
npu_device.open().as_default()

def inner(j, value):
    return j + 1, tf.sqrt(value)

def outer(i, value):
    value = tf.cond(tf.equal(i % 2, 0), lambda: tf.nn.relu(tf.matmul(value, value)),
                    lambda: tf.tanh(value))
    return i + 1, tf.while_loop(lambda j, _: j < i, inner, [tf.constant(0), value])[1]

def loops(x, n, name):
    return tf.while_loop(lambda i, _: i < n, outer, [tf.constant(0), x], name=name)[1]

if not tf.__version__.startswith("1."):
    function = tf.function(lambda x, n: loops(x, n, "function"))
    for count in (3, 4, 3):
        function(tf.ones([4, 4]), tf.constant(count))
for name in ("session", "frames"):
    with tf.Graph().as_default():
        x, n = v1.placeholder(tf.float32, [4, 4]), v1.placeholder(tf.int32, [])
        y = loops(x, n, name)
        with v1.Session() as session:
            for count in (3, 4, 3):
                session.run(y, {x: np.ones((4, 4), np.float32), n: count})
    v1.disable_control_flow_v2()
npu_device.close()
"""


def test_operators_of_loops_and_branches_are_laid_out_as_they_ran(python, has_functions, tmp_path):
    printed = _run(python, _LOOPS, tmp_path)
    assert "cannot be followed" not in printed and "one operator" not in printed
    (result,) = _parsed(tmp_path / "out")
    rows = sorted(_rows(result, "op_summary"), key=lambda row: float(row["Task Start Time(us)"]))
    for name in ("function", "session", "frames")[0 if has_functions else 1:]:
        kinds = [row["OP Type"] for row in rows if row["Op Name"].startswith(name)]
        ran = [kind for kind in kinds if kind in ("MatMulV2", "Relu", "Tanh", "Sqrt")]
        # Three runs: of 3, 4 and 3 iterations.
        assert {kind: ran.count(kind) for kind in set(ran)} == {
            "MatMulV2": 6, "Relu": 6, "Tanh": 4, "Sqrt": 3 + 6 + 3}, name
        assert not {"StatelessWhile", "StatelessIf", "While", "If"} & set(kinds)
        if name != "frames":  # Frames do not tell which iterations of the inner loop are whose.
            assert ran[:7] == ["MatMulV2", "Relu", "Tanh", "Sqrt", "MatMulV2", "Relu", "Sqrt"]


def test_a_session_with_the_mode_alone_collects_what_the_adapter_does(python, tmp_path):
    printed = _run(python, _KEYS, tmp_path)
    assert "use_off_line off" in printed
    (result,) = _parsed(tmp_path)  # The directory of the adapter's default is the current one.
    assert "aic_total_cycles" in _rows(result, "op_summary")[0]
    assert _rows(result, "step_trace")


def test_a_local_profiler_leaves_one_profile_for_each_block(python, tmp_path):
    _run(python, _LOCAL, tmp_path)
    for part in ("first", "second"):
        results = _parsed(tmp_path / part)
        assert len(results) == 1
        products = [row for row in _rows(results[0], "op_summary")
                    if row["OP Type"] == "MatMulV2"]
        assert len(products) == 2


@pytest.mark.parametrize("name", ["tensorflow_session.py", "tensorflow_function.py"])
def test_examples_run_and_leave_ten_iterations(python, has_functions, tmp_path, name):
    if "function" in name and not has_functions:
        pytest.skip("TensorFlow 1 runs sessions")
    with open(os.path.join(ROOT, "examples", name), encoding="utf-8") as file:
        _run(python, file.read(), tmp_path)
    results = _parsed(tmp_path / "out")
    steps = [row for row in _rows(results[0], "step_trace") if row["FP Start(us)"] != "N/A"]
    assert len(steps) == 10
    assert {row["OP Type"] for row in _rows(results[0], "op_summary")} >= {"MatMulV2"}


def test_the_environment_collects_programs_that_ask_for_nothing(python, tmp_path):
    program = """
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        session.run(tf.matmul(tf.ones([16, 16]), tf.ones([16, 16])))
    """
    _run(python, _HEAD + textwrap.dedent(program), tmp_path, PROFILING_MODE="true",
         PROFILING_OPTIONS='{"output":"env"}')
    assert glob.glob(f"{tmp_path}/env/PROF_*")


def test_a_refused_option_ends_the_program_with_its_code(python, tmp_path):
    program = """
    npu_device.global_options().profiling_config.enable_profiling = True
    npu_device.global_options().profiling_config.profiling_options = '{"output":"./","l2":"yes"}'
    try:
        npu_device.open()
    except ValueError as error:
        print("REFUSED", error)
    """
    printed = _run(python, _HEAD + textwrap.dedent(program), tmp_path)
    assert "REFUSED EK0001: profiling_options: l2" in printed
    assert not glob.glob(f"{tmp_path}/PROF_*")
