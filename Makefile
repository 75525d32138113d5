# Errand. `make demo` shows it, `make test` checks it.

SWIFT_FLAGS := -Xswiftc -warnings-as-errors

.PHONY: help demo build test lint sanitize bench format clean

help:
	@echo "make demo      install what is missing, build, and watch real requests"
	@echo "make test      every test, and the formatter's check"
	@echo "make sanitize  the tests under thread sanitizer"
	@echo "make bench     figures, as ratios against curl, libcurl and URLSession"
	@echo "make build     the command line, as .build/release/errand"
	@echo "make format    lay the sources out"

build:
	@scripts/install build
	swift build -c release --static-swift-stdlib --product errand $(SWIFT_FLAGS)

demo: build
	@.build/release/errand tour

test:
	@scripts/install test
	swift build --build-tests $(SWIFT_FLAGS)
	@$(MAKE) --no-print-directory lint
	swift test --skip-build --disable-xctest

lint:
	swift format lint --strict --recursive Sources Tests Benchmarks/Sources Package.swift Benchmarks/Package.swift

sanitize:
	@scripts/install test
	swift build --build-tests --sanitize thread --scratch-path .build/sanitize -Xswiftc -DERRAND_SANITIZER
	TSAN_OPTIONS=halt_on_error=0 swift test --skip-build --sanitize thread --scratch-path .build/sanitize --disable-xctest

bench:
	@scripts/install bench
	@Benchmarks/run

format:
	swift format format --in-place --recursive Sources Tests Benchmarks/Sources Package.swift Benchmarks/Package.swift

clean:
	swift package clean
	rm -rf .build/sanitize Benchmarks/.build
