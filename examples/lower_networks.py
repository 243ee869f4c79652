"""Prints training steps of small networks exactly as JAX lowers them.

Usage: python examples/lower_networks.py tests/programs/networks
Needs jax 0.10.2 (the newest for Python 3.11); nothing here runs on a device.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import lax

F32, S32 = jnp.float32, jnp.int32


def array(*dims, dtype=F32):
    return jax.ShapeDtypeStruct(dims, dtype)


# Programs may run on random arguments: any number is a label, a word, a step.
def cross_entropy(logits, labels):
    labels = labels % logits.shape[-1]
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1)
    return -jnp.mean(chosen)


# A perceptron, trained by Adam.
def mlp(params, x):
    for weights, bias in params[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = params[-1]
    return x @ weights + bias


def mlp_adam_step(params, mean, square, step, x, labels):
    loss, grads = jax.value_and_grad(lambda p: cross_entropy(mlp(p, x), labels))(params)
    step = step % 1000 + 1
    tree = jax.tree_util.tree_map
    mean = tree(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
    square = tree(lambda v, g: 0.999 * v + 0.001 * g * g, square, grads)

    def update(p, m, v):
        scale = jnp.sqrt(jnp.abs(v) / (1 - 0.999**step)) + 1e-8
        return p - 1e-3 * (m / (1 - 0.9**step)) / scale

    return loss, tree(update, params, mean, square), mean, square, step


# Two residual blocks with batch normalisation.
def conv(x, kernel, stride=1):
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def batch_norm(x, scale, bias):
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def resnet(p, x):
    x = jax.nn.relu(batch_norm(conv(x, p["stem"], 2), *p["norm0"]))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    y = jax.nn.relu(batch_norm(conv(x, p["conv1"]), *p["norm1"]))
    x = jax.nn.relu(x + batch_norm(conv(y, p["conv2"]), *p["norm2"]))
    y = jax.nn.relu(batch_norm(conv(x, p["conv3"], 2), *p["norm3"]))
    x = y + conv(x, p["shortcut"], 2)
    return x.mean((1, 2)) @ p["head"]


def resnet_gradient(p, x, labels):
    return jax.value_and_grad(lambda p: cross_entropy(resnet(p, x), labels))(p)


# A causal Transformer of two layers.
WIDTH, HEADS, LENGTH, WORDS = 32, 4, 12, 50


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def attention(p, x):
    batch = x.shape[0]

    def heads(weights):
        return (x @ weights).reshape(batch, LENGTH, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    q, k, v = heads(p["q"]), heads(p["k"]), heads(p["v"])
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / (WIDTH // HEADS) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, -1), v)
    return mixed.transpose(0, 2, 1, 3).reshape(batch, LENGTH, WIDTH) @ p["o"]


def transformer(p, words):
    x = p["words"][words % WORDS] + p["places"]
    for layer in p["layers"]:
        x = x + attention(layer, layer_norm(x, *layer["norm1"]))
        y = layer_norm(x, *layer["norm2"])
        x = x + jax.nn.gelu(y @ layer["up"]) @ layer["down"]
    return layer_norm(x, *p["norm"]) @ p["words"].T


def transformer_gradient(p, words):
    return jax.value_and_grad(
        lambda p: cross_entropy(transformer(p, words)[:, :-1], words[:, 1:]))(p)


# An LSTM over a sequence.
def lstm(p, xs):
    def cell(state, x):
        hidden, memory = state
        i, f, g, o = jnp.split(x @ p["x"] + hidden @ p["h"] + p["bias"], 4, -1)
        memory = jax.nn.sigmoid(f) * memory + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
        return (hidden, memory), hidden

    start = (jnp.zeros((4, 16)), jnp.zeros((4, 16)))
    return lax.scan(cell, start, xs)[1]


def lstm_gradient(p, xs):
    return jax.value_and_grad(lambda p: (lstm(p, xs) ** 2).sum())(p)


def norm(width):
    return (array(width), array(width))


def programs():
    mlp_params = [(array(20, 32), array(32)), (array(32, 24), array(24)), (array(24, 10), array(10))]
    yield ("mlp_adam_step", mlp_adam_step,
           (mlp_params, mlp_params, mlp_params, array(dtype=S32), array(16, 20),
            array(16, dtype=S32)))
    resnet_params = {
        "stem": array(7, 7, 3, 16), "norm0": norm(16),
        "conv1": array(3, 3, 16, 16), "norm1": norm(16),
        "conv2": array(3, 3, 16, 16), "norm2": norm(16),
        "conv3": array(3, 3, 16, 24), "norm3": norm(24),
        "shortcut": array(1, 1, 16, 24), "head": array(24, 10)}
    yield ("resnet_gradient", resnet_gradient,
           (resnet_params, array(2, 32, 32, 3), array(2, dtype=S32)))
    layer = {"norm1": norm(WIDTH), "norm2": norm(WIDTH),
             **{name: array(WIDTH, WIDTH) for name in "qkvo"},
             "up": array(WIDTH, 4 * WIDTH), "down": array(4 * WIDTH, WIDTH)}
    transformer_params = {"words": array(WORDS, WIDTH), "places": array(LENGTH, WIDTH),
                          "layers": [layer, layer], "norm": norm(WIDTH)}
    yield ("transformer_gradient", transformer_gradient,
           (transformer_params, array(3, LENGTH, dtype=S32)))
    lstm_params = {"x": array(8, 64), "h": array(16, 64), "bias": array(64)}
    yield "lstm_gradient", lstm_gradient, (lstm_params, array(6, 4, 8))


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, function, arguments in programs():
        text = jax.jit(function).lower(*arguments).as_text()
        (folder / f"{name}.mlir").write_text(text)
        print(folder / f"{name}.mlir")


if __name__ == "__main__":
    main()
