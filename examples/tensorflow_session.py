"""Profiles a session of TensorFlow 1.x style: python3 tensorflow_session.py OUT"""

import json
import sys

import numpy as np
import tensorflow as tf

import npuprof.tensorflow as npu

v1 = tf.compat.v1


def build(width=256, classes=16):
    """A network with one hidden layer: what is fed, the loss, and the step that trains it."""
    images = v1.placeholder(tf.float32, [None, width], name="images")
    weights = v1.get_variable("hidden/weights", [width, width])
    bias = v1.get_variable("hidden/bias", [width])
    hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(images, weights), bias))
    logits = tf.matmul(hidden, v1.get_variable("logits/weights", [width, classes]))
    labels = tf.fill([tf.shape(images)[0]], 0)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    step = v1.train.get_or_create_global_step()
    return images, loss, v1.train.MomentumOptimizer(0.001, 0.9).minimize(loss, global_step=step)


def main():
    """Trains for ten steps; what is collected is in the directory that was named."""
    options = {"output": sys.argv[1] if len(sys.argv) > 1 else "out", "training_trace": "on",
               "task_time": "on", "aicpu": "on", "aic_metrics": "PipeUtilization"}
    config = npu.session_config(npu.ProfilingConfig(True, json.dumps(options)))
    with tf.Graph().as_default():
        images, loss, train = build()
        with v1.Session(config=config) as session:
            session.run(v1.global_variables_initializer())
            batch = np.random.rand(64, 256).astype(np.float32)
            for step in range(10):
                _, value = session.run([train, loss], {images: batch})
                print(f"step {step}: loss {value:.4f}")


if __name__ == "__main__":
    main()
