"""Profiles some steps of a MindSpore training and parses what was recorded.

    PYTHONPATH=<build>/python python examples/mindspore_steps.py [RESULTS] [graph|pynative]

needs an interpreter with MindSpore (2.10.0 was tried). It runs on the CPU; where there is no NPU
its kernels are simulated.
"""

import sys

import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

from npuprof.mindspore import (AicoreMetrics, ProfilerActivity, ProfilerLevel, _ExperimentalConfig,
                               profile, schedule, tensorboard_trace_handler)


class Net(nn.Cell):
    """Two layers."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(64, 128)
        self.activation = nn.ReLU()
        self.second = nn.Dense(128, 10)

    def construct(self, data):
        """The scores of the ten classes."""
        return self.second(self.activation(self.first(data)))


def samples(count=256):
    """Random data with labels."""
    random = np.random.default_rng(1)
    for _ in range(count):
        yield random.random(64, np.float32), np.int32(random.integers(10))


def make_step(net, graph):
    """A function that trains with one batch."""
    loss = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)

    def forward(data, label):
        return loss(net(data), label)

    gradients = mindspore.value_and_grad(forward, None, optimizer.parameters)

    def step(data, label):
        value, grads = gradients(data, label)
        optimizer(grads)
        return value

    return mindspore.jit(step) if graph else step


def main(results, mode):
    """Records steps 2 and 3 of eight."""
    train = make_step(Net(), mode == "graph")
    data = ds.GeneratorDataset(samples, ["data", "label"]).batch(32)
    config = _ExperimentalConfig(profiler_level=ProfilerLevel.Level1,
                                 aic_metrics=AicoreMetrics.PipeUtilization)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.NPU],
                 schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
                 on_trace_ready=tensorboard_trace_handler(results), profile_memory=True,
                 record_shapes=True, experimental_config=config) as profiler:
        for batch, labels in data.create_tuple_iterator():
            print("loss", float(train(batch, labels).asnumpy()))
            profiler.step()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "results", (sys.argv[2:] or ["graph"])[0])
