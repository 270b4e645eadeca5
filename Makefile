# The few commands a newcomer needs; each does all the set-up it needs itself.
#
#   make build    build/burin, and the libraries
#   make demo     build it and let it explain the example kernels
#   make test     everything that must hold before a commit
#   make test-web the HTML report, in headless Chromium
#   make fuzz     every fuzz target for MINUTES (10)
#   make bench    print the figures for accuracy and speed
#   make tidy     clang-tidy over every source
#   make format   put every source into the house format
#   make clean    remove what was built

MINUTES ?= 10

.PHONY: build demo test test-web fuzz bench tidy format clean

build:
	@scripts/setup.sh
	@cmake --preset release -D BURIN_TESTS=OFF -D BURIN_BENCH=OFF > /dev/null
	@cmake --build build

demo:
	@scripts/demo.sh

test:
	@scripts/test.sh

test-web:
	@scripts/test_web.sh

fuzz:
	@scripts/setup.sh test
	@scripts/fuzz.sh $(MINUTES)

bench:
	@scripts/setup.sh test
	@cmake --preset release -D BURIN_TESTS=OFF -D BURIN_BENCH=ON > /dev/null
	@cmake --build build
	@scripts/bench.sh

tidy:
	@scripts/setup.sh test
	@scripts/tidy.sh

format:
	@scripts/format.sh

clean:
	rm -rf build build-*
