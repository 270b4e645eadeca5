"""Which kernels are held out: those of the second set, written when the rules were there by programmers who do not
know them.

The first set was split in halves by a hash of the name. Its held-out half has been followed twice and looked at, so all
of it counts as seen: the rules of `burin advise` may be developed on it. The figures that count are those of the
second set, which nobody looks at while developing.
"""

SEEN = (
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
HELD_OUT = (
    "attention_decode",
    "bilateral_filter",
    "cholesky_32x32",
    "embedding_bag",
    "gram_matrix",
    "graph_neighbour_mean",
    "interval_lookup",
    "kernel_density",
    "lattice_boltzmann",
    "logistic_gradient",
    "manhattan_distances",
    "median_filter_3x3",
    "smith_waterman",
    "sph_density",
)
NAMES = tuple(sorted(SEEN + HELD_OUT))


def held_out(name):
    """Whether the kernel of this name is held out."""
    return name in HELD_OUT
