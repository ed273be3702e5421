"""Profiles a program of TensorFlow 2.x style: python3 tensorflow_function.py OUT"""

import json
import sys

import tensorflow as tf

import npuprof.tensorflow as npu_device


def main():
    """Trains for ten steps; what is collected is in the directory that was named."""
    config = npu_device.global_options().profiling_config
    config.enable_profiling = True
    config.profiling_options = json.dumps({
        "output": sys.argv[1] if len(sys.argv) > 1 else "out", "training_trace": "on",
        "aic_metrics": "PipeUtilization"})
    npu_device.open().as_default()

    weights = tf.Variable(tf.random.normal([256, 256], stddev=0.05))

    @tf.function
    def train(data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.nn.relu(data @ weights) - data))
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    data = tf.random.uniform([64, 256])
    for step in range(10):
        print(f"step {step}: loss {float(train(data)):.4f}")
    npu_device.close()


if __name__ == "__main__":
    main()
