"""Exports programs as JAX delivers them: text beside the portable artifact of the same module.

Usage: python examples/export_programs.py tests/programs/vhlo
Needs jax 0.10.2 (the newest for Python 3.11); nothing here runs on a device.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import export, lax

NHWC = ("NHWC", "HWIO", "NHWC")


def mlp_gradient(w1, b1, w2, x, labels):
    def loss(w1, b1, w2):
        logits = jax.nn.gelu(x @ w1 + b1) @ w2
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(picked)
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(w1, b1, w2)


def conv_net(kernel, dense, x):
    y = lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=NHWC)
    y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jnp.sum(y.reshape(y.shape[0], -1) @ dense)


def conv_gradient(kernel, dense, x):
    return jax.grad(conv_net, argnums=(0, 1, 2))(kernel, dense, x)


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def layer_norm(x, scale, bias):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.var(x, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def scan(state, inputs):
    def step(carry, x):
        carry = jnp.tanh(carry + x)
        return carry, carry.sum()
    return lax.scan(step, state, inputs)


def control(x, n):
    y = lax.while_loop(lambda c: c[1] < n, lambda c: (c[0] * 2, c[1] + 1), (x, 0))[0]
    y = lax.cond(n > 3, lambda a: a + 1, lambda a: a - 1, y)
    return lax.switch(n, [jnp.sin, jnp.cos, jnp.exp], y)


def sort_and_search(x):
    return jnp.sort(x, axis=0), jnp.argsort(x, axis=1), jnp.argmax(x, axis=1), lax.top_k(x, 3)


def gather_scatter(table, rows, updates):
    return table[rows], table.at[rows].add(updates), lax.dynamic_update_slice(
        table, updates[:1], (rows[0], 0))


def random_numbers(seed):
    return jax.random.uniform(jax.random.PRNGKey(seed), (3, 5))


def special_functions(x):
    return lax.erf(x), jnp.sinh(x), jnp.arccos(x), lax.reduce_precision(x, 5, 10), jnp.cumsum(x)


def types(a, b, c):
    wide = lax.dot(a, b, preferred_element_type=jnp.int32)
    return (wide >> 2).astype(jnp.uint8), c.astype(jnp.float16) * 2, lax.population_count(wide), (
        lax.bitcast_convert_type(c, jnp.uint16) ^ jnp.uint16(3))


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def bf16(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16)


def s8(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int8)


def s32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int32)


PROGRAMS = {
    "mlp_gradient": (mlp_gradient, [f32(5, 7), f32(7), f32(7, 3), f32(4, 5), s32(4)]),
    "conv_gradient": (conv_gradient, [f32(3, 3, 2, 4), f32(36, 2), f32(2, 13, 13, 2)]),
    "attention": (attention, [bf16(2, 5, 3, 8)] * 3),
    "layer_norm": (layer_norm, [f32(3, 10), f32(10), f32(10)]),
    "scan": (scan, [f32(3), f32(6, 3)]),
    "control": (control, [f32(4), s32()]),
    "sort_and_search": (sort_and_search, [f32(5, 7)]),
    "gather_scatter": (gather_scatter, [f32(9, 4), s32(6), f32(6, 4)]),
    "random_numbers": (random_numbers, [s32()]),
    "special_functions": (special_functions, [f32(6)]),
    "types": (types, [s8(3, 4), s8(4, 5), bf16(7)]),
}


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(exist_ok=True)
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # the same anywhere
    for name, (function, arguments) in PROGRAMS.items():
        exported = export.export(jax.jit(function), platforms=["cpu"])(*arguments)
        (directory / f"{name}.mlir").write_text(exported.mlir_module())
        (directory / f"{name}.mlirbc").write_bytes(exported.mlir_module_serialized)


if __name__ == "__main__":
    main()
