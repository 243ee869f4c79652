#!/usr/bin/env python3
"""Trains the digits CNN of scripts/demo in JAX and records everything that the demo needs.

usage: .venv/bin/python examples/digits/train.py [--check]      (set-up: scripts/setup --with-jax)

Writes beside itself: digits.mlir (the inference function exactly as jax.jit(f).lower(x).as_text()
prints it), inputs.npz (images and weights as arg0 .. arg6), labels.npy, and jax_accuracy.json. With
--check it trains nothing: it recomputes JAX's accuracy from the recorded inputs and compares.
The data are scikit-learn's load_digits: 1,797 real 8x8 handwritten digits; the last 360 are the
test set.
"""

import json
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TEST_IMAGES = 360
DIMENSIONS = ("NHWC", "HWIO", "NHWC")


def network(images, conv1, bias1, conv2, bias2, dense, bias3):
    """8x8x1 images -> 10 logits; bf16 operands, as a TPU program would use them."""
    x = jax.lax.conv_general_dilated(images, conv1, (1, 1), "SAME", dimension_numbers=DIMENSIONS)
    x = jax.nn.relu(x + bias1)
    x = jax.lax.conv_general_dilated(x, conv2, (2, 2), "SAME", dimension_numbers=DIMENSIONS)
    x = jax.nn.relu(x + bias2)
    x = x.reshape(x.shape[0], -1)
    return jnp.dot(x, dense) + bias3


def load():
    from sklearn.datasets import load_digits
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[..., None]
    return images, digits.target.astype(np.int32)


def initial_weights(key):
    shapes = [(3, 3, 1, 16), (3, 3, 16, 32), (4 * 4 * 32, 10)]
    weights = []
    for shape in shapes:
        key, sub = jax.random.split(key)
        fan_in = np.prod(shape[:-1])
        weights += [jax.random.normal(sub, shape) * np.sqrt(2.0 / fan_in), jnp.zeros(shape[-1])]
    return weights


def train(images, labels, steps=1500, batch=128, rate=1e-3):
    def loss(weights, x, y):
        logits = network(x, *weights)
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(y)), y])

    weights = initial_weights(jax.random.PRNGKey(0))
    moments = [(jnp.zeros_like(w), jnp.zeros_like(w)) for w in weights]

    @jax.jit
    def step(weights, moments, x, y, t):
        gradients = jax.grad(loss)(weights, x, y)
        new_weights, new_moments = [], []
        for w, (m, v), g in zip(weights, moments, gradients):  # Adam
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            spread = jnp.sqrt(v / (1 - 0.999**t)) + 1e-8
            new_weights.append(w - rate * (m / (1 - 0.9**t)) / spread)
            new_moments.append((m, v))
        return new_weights, new_moments

    rng = np.random.default_rng(0)
    for t in range(1, steps + 1):
        pick = rng.integers(0, len(images), batch)
        weights, moments = step(weights, moments, images[pick], labels[pick], float(t))
    return weights


def accuracy(arguments, labels):
    logits = np.asarray(jax.jit(network)(*arguments).astype(jnp.float32))
    return int((logits.argmax(axis=1) == labels).sum())


def main():
    record = HERE / "jax_accuracy.json"
    if "--check" in sys.argv[1:]:
        stored = np.load(HERE / "inputs.npz")
        arguments = [jnp.asarray(stored[f"arg{i}"]).view(jnp.bfloat16) for i in range(7)]
        labels = np.load(HERE / "labels.npy")
        correct = accuracy(arguments, labels)
        recorded = json.loads(record.read_text())["correct"]
        print(f"JAX {jax.__version__}: {correct} of {len(labels)} correct; recorded: {recorded}")
        sys.exit(0 if correct == recorded else 1)
    images, labels = load()
    weights = train(images[:-TEST_IMAGES], labels[:-TEST_IMAGES])
    arguments = [jnp.asarray(a, jnp.bfloat16) for a in [images[-TEST_IMAGES:], *weights]]
    labels = labels[-TEST_IMAGES:]
    (HERE / "digits.mlir").write_text(jax.jit(network).lower(*arguments).as_text())
    arrays = {f"arg{i}": np.asarray(a).view(np.uint16) for i, a in enumerate(arguments)}
    np.savez_compressed(HERE / "inputs.npz", **arrays)
    np.save(HERE / "labels.npy", labels)
    result = {"images": TEST_IMAGES, "correct": accuracy(arguments, labels), "jax": jax.__version__}
    record.write_text(json.dumps(result, indent=2) + "\n")
    print(result)


if __name__ == "__main__":
    main()
