#!/usr/bin/env python3
"""How good is the guided search (burin tune --strategy guided), and what is it worth as a seed?

    guided.py record [--out FOLDER] [--seconds 480] [--jobs N] [SPACE…]
    guided.py table [--records FOLDER] [--tuning] [SPACE…]

`record` examines every configuration of recorded spaces (bench/tuning/spaces) on the emulator, as
the guided search does: one file of lines for each space. It needs build/burin,
build/bench/bench_guided_examine and a CUDA compiler, no GPU; what is there already is kept, so that
it can be stopped and started again. `table` searches in these files; it needs
build/bench/bench_guided_search and no compiler. bench/guided/README.md explains the figures.
"""

import sys

from guided import record, table

PARTS = {"record": record.main, "table": table.main}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        sys.exit(__doc__.strip())
    return PARTS[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
