"""How often loops and branches of TensorFlow graphs ran."""

import pytest
from conftest import PYTHON_DIRECTORY  # noqa: F401 (it makes npuprof importable)
from npuprof.tensorflow._control_flow import Executions, _names_of_trace


def test_a_loop_inside_another_one_ran_as_its_conditions_say():
    ran = ["w/cond/_0/Less", "w/body/_1/v/cond/_2/Less", "w/body/_1/add",
           "w/cond/_0/Less", "w/body/_1/v/cond/_2/Less", "w/body/_1/v/body/_3/Sqrt",
           "w/body/_1/v/body/_3/add", "w/body/_1/v/cond/_2/Less", "w/body/_1/add",
           "w/cond/_0/Less"]
    executions = Executions(ran)
    assert executions.iterations("w") == [2]
    assert executions.iterations("w/body/v") == [0, 1]
    assert executions.iterations("elsewhere") == [0]


def test_iterations_that_overtake_each_other_are_divided_evenly():
    ran = ["w/body/_1/v/cond/_2/Less"] * 7 + ["w/body/_1/v/body/_3/Sqrt"] * 5
    assert Executions(ran).iterations("w/body/v") == [3, 2]


def test_branches_are_those_that_ran_in_their_order():
    ran = ["w/body/_1/if/then/_4/Relu", "w/body/_1/if/else/_5/Tanh", "w/body/_1/if/then/_4/MatMul",
           "w/body/_1/if/then/_4/Relu", "w/body/_1/if/then/_4/MatMul", "w/body/_1/if/output/_6"]
    assert Executions(ran).choices("w/body/if", "If", 2) == [0, 1, 0]
    ran = ["case/branch2/_8/Exp", "case/branch0/_7/Log"]
    assert Executions(ran).choices("case", "Case", 3) == [2, 0]


def test_a_loop_whose_result_is_handed_on_may_have_another_name():
    executions = Executions(["w/body/_1/v_0/cond/_2/Less", "w/body/_1/v/Switch/_9"])
    assert executions.path_of("w/body/v") == "w/body/v_0"
    assert executions.path_of("w") == "w" and executions.path_of("x") == "x"


def test_runs_differ_if_their_parts_ran_differently_often():
    once = Executions(["MatMul", "w/cond/_0/Less"], has_others=True)
    again = Executions(["w/cond/_7/Less", "another"], has_others=True)
    twice = Executions(["w/cond/_0/Less"] * 2, has_others=True)
    assert once.signature == again.signature != twice.signature
    assert Executions(["MatMul"]).signature != Executions([]).signature


def _message(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def test_names_come_from_a_trace_in_order_of_time():
    def event(time, name):
        argument = _message(11, _message(1, b"long_name") + _message(2, name))
        return _message(4, b"\x08\x01" + _message(3, b"Op") + b"\x48" + bytes([time]) + argument)

    trace = event(9, b"w/body/_1/a:AddV2") + event(3, b"b:MatMul") + _message(2, b"other")
    assert _names_of_trace(trace) == ["b", "w/body/_1/a"]


@pytest.mark.parametrize("damage", [b"", b"\x22", b"\x22\xff", b"\x23\x00", b"\x22\x02\x5a\x05",
                                    b"\xff" * 40])
def test_a_trace_of_another_form_tells_nothing(damage):
    assert _names_of_trace(damage) == []
