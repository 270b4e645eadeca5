"""Which kernels are held out: those of the last set.

A set is written by programmers who do not know the rules of `burin advise`, and is held out until its advice has been
followed and measured. Then it counts as seen: rules may be developed on it. The figures that count are those of the
last set, the first time that it was followed.
"""

FIRST = (
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
SECOND = (
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
THIRD = (
    "autocorrelation",
    "binomial_options",
    "common_neighbours",
    "dilation_9x9",
    "nearest_code",
    "point_in_polygon",
    "probe_search",
    "random_forest",
    "rotary_embedding",
    "sort_rows",
    "tridiagonal_systems",
    "velocity_moments",
)
FOURTH = (
    "argmax_rows",
    "batch_norm_statistics",
    "bias_gelu",
    "box_filter",
    "convolution_layer",
    "embedding_gradient",
    "group_by_sum",
    "lennard_jones",
    "max_pooling_3x3",
    "monte_carlo_asian",
    "quantize_rows",
    "sobel_bytes",
    "wave_equation_3d",
)
HELD_OUT = (
    "adam_update",
    "advection_upwind",
    "alpha_blend",
    "cross_entropy_loss",
    "int8_matrix_vector",
    "ising_update",
    "joint_histogram",
    "k_nearest",
    "matrix_times_transposed",
    "middle_axis_sum",
    "monte_carlo_pi",
    "triangular_solve_32",
)
SETS = {"fifth": HELD_OUT, "fourth": FOURTH, "third": THIRD, "second": SECOND, "first": FIRST}  # newest first
NAMES = tuple(sorted(FIRST + SECOND + THIRD + FOURTH + HELD_OUT))


def set_of(name):
    """The set that the kernel of this name belongs to."""
    return next(title for title, names in SETS.items() if name in names)


def held_out(name):
    """Whether the kernel of this name is held out."""
    return name in HELD_OUT
