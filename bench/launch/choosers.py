"""Ways to choose a block shape for a size that was not tried.

Each is a function choose(kernel, trained, target) → shape, where `trained` are the recorded sizes it may
learn from and `target` is the size it chooses for. Only the oracle looks at the times of the target. A
chooser that cannot choose raises CannotChoose.
"""

from .spaces import distance

# Of compute capability 9.0.
WARPS = 64  # per SM
BLOCKS = 32
PARTITIONS = 4  # of an SM; a warp has its registers in one of them
REGISTERS = 16384  # per partition
REGISTER_GRANULE = 256  # per warp


class CannotChoose(Exception):
    pass


def fixed(x, y):
    """x × y threads; all of them in x where the blocks have one dimension."""

    def choose(kernel, trained, target):
        return (x * y, 1, 1) if kernel.spec.dimensions == 1 else (x, y, 1)

    return choose


def occupancy_warps(registers, threads):
    """Warps resident on an SM, for a kernel without shared memory."""
    warps = threads // 32
    per_warp = -(-registers * 32 // REGISTER_GRANULE) * REGISTER_GRANULE
    blocks = min(BLOCKS, WARPS // warps)
    if per_warp:
        blocks = min(blocks, REGISTERS // per_warp * PARTITIONS // warps)
    return blocks * warps


def occupancy(kernel, trained, target):
    """The largest block of those with the highest occupancy, as cudaOccupancyMaxPotentialBlockSize takes it, of
    powers of two. It gives a number of threads only: rows of 32 where there are several dimensions."""
    threads = max((1 << k for k in range(5, 11)), key=lambda t: (occupancy_warps(target.registers, t), t))
    return fixed(32, threads // 32)(kernel, trained, target)


def nearest(kernel, trained, target):
    """The best shape of the nearest trained size."""
    if not trained:
        raise CannotChoose("nothing was trained")
    return min(trained, key=lambda recorded: distance(target.size, recorded.size)).best


def nearest_of_all(kernel, trained, target):
    """The best shape of the nearest size, those included that burin fit adds."""
    return nearest(kernel, [*trained, *kernel.others], target)


def largest(kernel, trained, target):
    """The best shape of the trained size with the most work."""
    if not trained:
        raise CannotChoose("nothing was trained")
    return max(trained, key=lambda recorded: recorded.work).best


def oracle(kernel, trained, target):
    return target.best


def predicted(emulated):
    """The shape that the emulator predicts to be the best at the target itself. `emulated` is {name: Kernel}."""

    def choose(kernel, trained, target):
        known = emulated.get(kernel.name)
        at_target = known.at(target.size) if known else None
        if at_target is None:
            raise CannotChoose("this size was not emulated")
        return at_target.best

    return choose


SIMPLE = {
    "nearest trained size": nearest,
    "nearest of all sizes": nearest_of_all,
    "largest trained size": largest,
    "occupancy": occupancy,
    "1024 threads": fixed(32, 32),
    "256 × 1": fixed(256, 1),
    "32 × 8": fixed(32, 8),
    "16 × 16": fixed(16, 16),
    "oracle": oracle,
}
