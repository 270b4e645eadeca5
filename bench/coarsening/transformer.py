"""`coarsening.py transformer`: errors planted into the transformation itself. Does the check find them?

Each is an edit of one line of src/coarsen or src/read/ptx, made in a copy of the sources in
build/transformer. burin is built from it, and the kernels of the corpus are checked until one is wrong.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build/transformer"

# What is wrong, the file, what stands there, what stands there instead.
ERRORS = (
    ("copies of a thread are one apart, whatever the stride", "coarsen/copy_names.cc", "k * step)", "k)"),
    ("the block seems as small as it is now", "coarsen/copy_names.cc", "extent_register(plan.how), copies)",
     "extent_register(plan.how), 1)"),
    ("the last blocks of a grid that does not divide return late", "coarsen/coarsen.cc", "setp.ge.u32", "setp.gt.u32"),
    ("copies go on together if one of them takes the branch", "coarsen/emit.cc", 'std::pair(all, "and")',
     'std::pair(all, "or")'),
    ("a negated guard counts as a plain one", "coarsen/emit.cc", '"@!" + any : "@" + all', '"@" + any : "@" + all'),
    ("going alone, each copy takes the branch of the first", "coarsen/emit.cc",
     "names_.of(branch.predicate, copy),", "names_.of(branch.predicate, 0),"),
    ("what a copy changes on its way alone is lost for the next", "coarsen/plan.cc",
     "plan.replicated.insert_common(", "RegisterSet(plan.replicated).insert_common("),
    ("blocks that become one share their memory", "coarsen/plan.cc",
     'declaration.space == "shared" && plan.how.level == Level::kBlock', 'declaration.space == "none"'),
    ("an atomic operation gives all copies the same", "coarsen/plan.cc",
     "return plan.has(index++, bit(Treatment::kAtomic)) ||", "return plan.has(index++, 0) ||"),
    ("values of a divergent region count as uniform", "coarsen/plan.cc",
     "return !divergence.operations[operation] &&", "return !divergence.operations[operation] ||"),
    ("warps are torn apart", "coarsen/legality.cc", "first % 32 != 0 || original(thread, k) != first + lane",
     "first % 32 > 32"),
    ("barriers may stand in divergent flow", "coarsen/legality.cc",
     "if (const Operation* barrier = barrier_in(region)) return refuse(*barrier, block);\n    }\n    return {};",
     "}\n    return {};"),
    ("nobody looks for loops that wait", "coarsen/waiting.cc", "if (!reason.empty()) return Error{reason};", ""),
    ("functions of all copies use the index of the first", "coarsen/functions.cc", "names.of(name, copy)",
     "names.of(name, 0)"),
    ("lanes are counted from the index within a row", "coarsen/emit.cc", '"mul.lo.u32 {0}, {0}, {1};", lane, size',
     '"mul.lo.u32 {0}, {0}, 0;", lane, size'),
)


def copy_tree():
    """The sources as they are, without what git does not know."""
    TREE.mkdir(parents=True, exist_ok=True)
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        if name.split("/")[0] not in ("src", "data", "corpus", "bench", "scripts", "CMakeLists.txt", "CMakePresets.json",
                                      "docs", "README.md", "examples"):
            continue
        source, target = ROOT / name, TREE / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def build():
    done = subprocess.run(["cmake", "--build", "build", "--target", "burin"], cwd=TREE, capture_output=True, text=True)
    return done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def found_by(options):
    """The first kernel whose check notices, or None."""
    command = [sys.executable, str(ROOT / "bench/coarsening.py"), "check", "--part", options.part, "--stop"]
    command += ["--burin", str(TREE / "build/burin"), "--jobs", str(options.jobs), "--every", str(options.every)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line.strip() for line in done.stdout.splitlines() if line.startswith("    ")]
    return (lines[0] if lines else done.stderr[-300:]) if done.returncode == 2 else None


def run(options):
    copy_tree()
    configure = ["cmake", "--preset", "release", "-D", "BURIN_TESTS=OFF", "-D", "BURIN_BENCH=OFF"]
    subprocess.run([*configure, "--compile-no-warning-as-error"], cwd=TREE, check=True, capture_output=True)
    chosen = [error for error in ERRORS[:: options.sample] if (options.kernel or "") in error[0]]
    missed = 0
    for what, file, old, new in chosen:
        path = TREE / "src" / file
        text = (ROOT / "src" / file).read_text(encoding="utf-8")
        if text.count(old) < 1:
            raise SystemExit(f"src/{file} has no '{old}' any more")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        built, output = build()
        path.write_text(text, encoding="utf-8")
        if not built:
            raise SystemExit(f"with '{what}', burin does not compile: {output}")
        noticed = found_by(options)
        missed += noticed is None
        print(f"{'found' if noticed else 'MISSED'}: {what}\n    {(noticed or '')[:160]}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} planted errors were found")
    return 1 if missed else 0
