"""The launches of explain.py: four lists, each with a purpose of its own."""

import dataclasses

from common.launches import read_list

LISTS = ("bound", "series", "contraction", "fusion")
VERSIONS = ("original", "coalesced", "preread", "places")
STAGES = ("six", "three", "one")
WEAK_FP64 = ("rtx4090", "89")  # the machine whose fp64 is weak, and its architecture


def read_lists(folder, kernels):
    """{list: its launches}."""
    return {name: read_list(folder / f"{name}.txt", kernels) for name in LISTS}


def all_launches(lists):
    return [launch for launches in lists.values() for launch in launches]


def expected(launch):
    """(resource, mode) that bounds the launch, by the list."""
    resource, _, mode = launch.notes["bound"].partition(":")
    return resource, mode


def doubled(launch):
    """The same with twice the blocks, for which the buffers of launches bound by a latency have room."""
    across = int(launch.value("--grid"))
    options = list(launch.options)
    options[options.index("--grid") + 1] = str(2 * across)
    return dataclasses.replace(launch, name=launch.name + "/doubled", options=options)


def all_doubled(lists):
    return [doubled(launch) for launch in lists["bound"] if expected(launch)[1] == "latency"]


def versions(lists):
    """The launches of the contraction's versions, in order."""
    named = {launch.name: launch for launch in lists["contraction"]}
    return [named[f"version/{version}"] for version in VERSIONS]


def pairs(lists):
    """[(order of the output's indices, extent, first version, last version)]."""
    named = {launch.name: launch for launch in lists["contraction"]}
    found = []
    for name, launch in named.items():
        if name.endswith("/first"):
            order, extent, _ = name.split("/")
            found.append((order, int(extent), launch, named[f"{order}/{extent}/last"]))
    return found


def stage(lists, name):
    return [launch for launch in lists["fusion"] if launch.name.startswith(name + "/")]


def series(lists, name):
    """[(block size or factor, launch)]."""
    found = [launch for launch in lists["series"] if launch.name.startswith(name + "/")]
    return [(int(launch.name.split("/")[1]), launch) for launch in found]


def for_arch(launch, arch):
    """The same launch of the kernel's build for another architecture."""
    return dataclasses.replace(launch, notes={**launch.notes, "arch": arch})


def built(lists):
    """The launches of all cubins that are kept."""
    return all_launches(lists) + [for_arch(launch, WEAK_FP64[1]) for launch in versions(lists)]
