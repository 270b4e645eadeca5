"""Which kernels are held out: half of them, by a hash of the name, fixed before the first measurement.

The rules of `burin advise` may be developed on the tuning half. The figures that count are those of the
held-out half, which nobody looks at while developing.
"""

import hashlib

NAMES = (
    "batched_matrices_8x8",
    "bilinear_resize",
    "black_scholes",
    "column_sums",
    "convolution_7x7",
    "count_bytes",
    "dot_product",
    "fir_filter",
    "histogram_bytes",
    "histogram_floats",
    "jacobi_residual",
    "kmeans_assign",
    "layer_norm",
    "mandelbrot",
    "matrix_product",
    "matrix_vector",
    "nbody",
    "particle_update",
    "polynomial",
    "prefix_sum_rows",
    "rgb_to_gray",
    "softmax_rows",
    "sparse_matrix_vector",
    "stencil_2d",
    "stencil_3d",
    "transpose",
)


def held_out(name):
    """Whether the kernel of this name belongs to the held-out half."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0
