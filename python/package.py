"""How the Python package is built: CMake makes the module, setuptools the wheel.

The module is made in build/, where burin itself is built, so that what is compiled there is not
compiled again. BURIN_BUILD names another build folder. BURIN_MODULE names a module that is already
built: it is taken as it is.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    found = re.search(r"project\(burin VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found[1]


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        to = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.environ.get("BURIN_MODULE") or self.make(), to)

    def make(self):
        if not shutil.which("cmake"):
            sys.exit("burin: cmake is not installed; scripts/setup.sh installs what the build needs")
        folder = pathlib.Path(os.environ.get("BURIN_BUILD", ROOT / "build"))
        configure = ["cmake", "--preset", "release", "-S", str(ROOT), "-B", str(folder),
                     "-D", "BURIN_PYTHON=ON", "-D", f"BURIN_PYTHON_INTERPRETER={sys.executable}"]
        if not (folder / "CMakeCache.txt").exists():
            configure += ["-D", "BURIN_TESTS=OFF", "-D", "BURIN_BENCH=OFF"]
        subprocess.run(configure, check=True, cwd=ROOT)
        subprocess.run(["cmake", "--build", str(folder), "--target", "python_module"], check=True)
        modules = sorted((folder / "python" / "burin").glob("_burin*.so"), key=os.path.getmtime)
        return modules[-1]


def install(folder):
    """`folder` has the package, seen from where setup.py stands."""
    setup(
        name="burin",
        version=version(),
        description="Why a GPU kernel is slow, on which line, what to change and what it gains; without a GPU",
        python_requires=">=3.8",
        packages=["burin"],
        package_dir={"burin": str(folder / "burin")},
        package_data={"burin": ["py.typed", "*.pyi"]},
        ext_modules=[Extension("burin._burin", sources=[])],
        cmdclass={"build_ext": CMakeBuild},
        options={"build": {"build_base": str(ROOT / "build" / "wheel")},
                 "egg_info": {"egg_base": egg_base()}},
        zip_safe=False,
    )


def egg_base():
    folder = ROOT / "build" / "wheel"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)
