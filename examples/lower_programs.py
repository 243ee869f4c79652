"""Prints the sample programs of tests/programs exactly as JAX lowers them.

Usage: python examples/lower_programs.py tests/programs
Needs jax 0.10.2 (the newest for Python 3.11); nothing here runs on a device.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import lax

NHWC = ("NHWC", "HWIO", "NHWC")


def matmul(a, b):
    return a @ b


def matmul_s8(a, b):
    return lax.dot(a, b, preferred_element_type=jnp.int32)


def matmul_batched(a, b):
    return jnp.einsum("bmk,bnk->bmn", a, b)


def conv_bias_relu(x, kernel, bias):
    y = lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=NHWC)
    return jnp.maximum(y + bias, 0)


def depthwise(x, kernel):
    return lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=NHWC, feature_group_count=x.shape[-1])


def quantized_dot(a, b, scale):
    sums = lax.dot(a, b, preferred_element_type=jnp.int32)
    scaled = lax.round(sums.astype(jnp.float32) * scale, lax.RoundingMethod.TO_NEAREST_EVEN)
    return jnp.clip(scaled, -128, 127).astype(jnp.int8)


def quantized_dot_clamp(a, b, scale):
    sums = lax.dot(a, b, preferred_element_type=jnp.int32)
    scaled = lax.round(sums.astype(jnp.float32) * scale, lax.RoundingMethod.TO_NEAREST_EVEN)
    return lax.clamp(jnp.float32(-128), scaled, jnp.float32(127)).astype(jnp.int8)


def mlp(x, w1, b1, w2, b2):
    hidden = jax.nn.relu(x @ w1 + b1)
    return hidden @ w2 + b2


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def bf16(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16)


def s8(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int8)


PROGRAMS = {
    "matmul_bf16": (matmul, [bf16(32, 48), bf16(48, 40)]),
    "matmul_f32": (matmul, [f32(13, 17), f32(17, 11)]),
    "matmul_s8": (matmul_s8, [s8(32, 48), s8(48, 40)]),
    "matmul_batched_bf16": (matmul_batched, [bf16(3, 7, 9), bf16(3, 5, 9)]),
    "conv_bias_relu_bf16": (conv_bias_relu, [bf16(1, 15, 15, 8), bf16(3, 3, 8, 16), bf16(16)]),
    "conv_bias_relu_f32": (conv_bias_relu, [f32(1, 15, 15, 8), f32(3, 3, 8, 16), f32(16)]),
    "depthwise_f32": (depthwise, [f32(1, 9, 9, 5), f32(3, 3, 1, 5)]),
    "quantized_dot": (quantized_dot, [s8(16, 32), s8(32, 24), f32()]),
    "quantized_dot_clamp": (quantized_dot_clamp, [s8(16, 32), s8(32, 24), f32()]),
    "mlp_f32": (mlp, [f32(8, 64), f32(64, 32), f32(32), f32(32, 10), f32(10)]),
    "softmax_f32": (softmax, [f32(5, 33)]),
}


def main():
    directory = pathlib.Path(sys.argv[1])
    for name, (function, arguments) in PROGRAMS.items():
        text = jax.jit(function).lower(*arguments).as_text()
        (directory / f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
