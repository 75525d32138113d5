# Builds, tests and demonstrates Errand: see `make help`.

# The trait Postgres adds the outbox on PostgreSQL, which needs libpq. To build without it: make build TRAITS=
TRAITS := --traits Postgres,Inspector
SWIFT_FLAGS := -Xswiftc -warnings-as-errors $(TRAITS)
# Without debug information the tests build a fifth faster, and function names remain. For a debugger: make test DEBUG_FLAGS=
DEBUG_FLAGS := -debug-info-format none

# Linux builds the code that imports Apple's modules with stand-ins for these modules.
ifneq ($(shell uname),Darwin)
export ERRAND_STAND_INS = 1
endif

FORMATTED := Sources Tests Examples/Sources Examples/Apps Examples/Tests Examples/*/Sources Examples/*/Tests \
	Benchmarks/Sources Integrations/Sources Package.swift */Package.swift Examples/*/Package.swift

.PHONY: help dashboards demo build package release-check libcurls install install-files test lint api check-apple check-integrations docs sanitize watch simulate crash fuzz power-loss fleet mutants bench bench-all bench-quick bench-record bench-fleet format clean

help:
	@echo "make demo      install missing packages, and run the tour of Errand"
	@echo "make test      run all tests, the long test programs, and the formatter's check"
	@echo "make check-apple  type-check the code for Apple's platforms on Linux, against stand-ins for Apple's modules"
	@echo "make check-integrations  compile the package Integrations against stand-ins for its neighbours, and run its tests"
	@echo "make api       write the public declarations of each module to api/; make test fails when they differ"
	@echo "make docs      build the articles and the reference as a static site"
	@echo "make sanitize  run the tests under the thread sanitizer"
	@echo "make watch     find the tests that block a shared thread for more than 50 ms"
	@echo "make simulate  simulate users on a bad network: SEEDS=10000 FIRST=1, or SEED=n for one; WORLD=client|outbox"
	@echo "make crash     kill processes that use an outbox: KILLS=1000, SEED=n to repeat a run; STORE=postgres"
	@echo "make fuzz      send malformed requests: CASES=1000000, SEED=n for the first seed"
	@echo "make fleet     inject faults while workers share a PostgreSQL database: ROWS=100000, SEED=n to repeat a run"
	@echo "make power-loss  simulate power losses of machines with an outbox: CUTS=10000, FIRST=1"
	@echo "make dashboards  check the Grafana dashboard and the Prometheus alerts in Examples/Dashboards"
	@echo "make mutants   change one line at a time, and check that a test fails: ONLY=regex, FROM=n"
	@echo "make bench     compare requests with libcurl and URLSession; bench-all also measures all other features"
	@echo "make bench-quick  compare the instructions of a request with the recorded ones; bench-record records them"
	@echo "make bench-fleet  measure the outbox on PostgreSQL and compare it with pgbench: LESS=10 for a tenth"
	@echo "make build     build the command line as .build/release/errand"
	@echo "make install   install it with its manual page and completions: PREFIX=/usr/local, DESTDIR="
	@echo "make package   build a Debian package and a tarball, and try the package in clean systems: TRY=--no-try"
	@echo "make libcurls  run the tests of the transport with other versions of libcurl"
	@echo "make release-check  check that this commit can be released, and print what a maintainer types next"
	@echo "make format    format the sources"

build:
	@scripts/install build
	swift build -c release --static-swift-stdlib --product errand $(SWIFT_FLAGS)

# Needs Debian. TRY=--no-try makes the packages, and tries none of them in a clean Debian.
package:
	@scripts/install package
	@$(MAKE) --no-print-directory build
	@scripts/package $(TRY)

release-check:
	@scripts/release-check

# The transport's tests with the libcurl of Debian 13 and of the next Debian.
libcurls:
	@scripts/install test
	swift build --build-tests $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@RELEASE=trixie scripts/newer-libcurl ErrandCurlTests
	@scripts/newer-libcurl ErrandCurlTests

PREFIX ?= /usr/local
BINARY := .build/release/errand

install: build install-files

# Installs the program BINARY, which must have been built.
install-files:
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
		"$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
		"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 755 "$(BINARY)" "$(DESTDIR)$(PREFIX)/bin/errand"
	"$(BINARY)" man > "$(DESTDIR)$(PREFIX)/share/man/man1/errand.1"
	"$(BINARY)" completion bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/errand"
	"$(BINARY)" completion zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_errand"
	"$(BINARY)" completion fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/errand.fish"
	chmod 644 "$(DESTDIR)$(PREFIX)/share/man/man1/errand.1" \
		"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/errand" \
		"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_errand" \
		"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/errand.fish"

demo:
	@scripts/install build
	swift run $(TRAITS) $(DEBUG_FLAGS) ExampleTour

test:
	@scripts/install test
	swift build --build-tests $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@$(MAKE) --no-print-directory -j2 lint check-apple
	@$(MAKE) --no-print-directory check-integrations
	@scripts/dashboards
	@scripts/fleet-files
	@scripts/api --check $(TRAITS)
	@ERRAND_PYTHON=$$(scripts/peers) ERRAND_WATCHING_PYTHON=$$(scripts/peers watching) scripts/test $(TRAITS)
	@scripts/programs
	@Benchmarks/quick

lint:
	swift format lint --strict --recursive $(FORMATTED)
	@scripts/mutants --check
	@scripts/version --check

# On macOS the build itself compiles this code.
check-apple:
	@[ "$$(uname)" = Darwin ] || scripts/check-apple

# Uses the modules of the last build. On macOS it is untried.
check-integrations:
	@[ "$$(uname)" = Darwin ] || scripts/check-integrations

# docc warns about broken links, and warnings are errors.
docs:
	@scripts/install build
	@scripts/docs $(SWIFT_FLAGS)

sanitize:
	@scripts/install test
	swift build --build-tests --sanitize thread --scratch-path .build/sanitize -Xswiftc -DERRAND_SANITIZER $(TRAITS)
	@TSAN_OPTIONS=halt_on_error=0 scripts/test --sanitize thread --scratch-path .build/sanitize $(TRAITS)
	@TSAN_OPTIONS=halt_on_error=0 scripts/programs .build/sanitize/debug sanitized

# Finds jobs that block a shared thread for more than 50 ms: FILTER=Tests, or all tests.
watch:
	@scripts/install test
	swift build --build-tests $(SWIFT_FLAGS)
	@scripts/watch $(TRAITS) $(if $(FILTER),--filter '$(FILTER)')

SEEDS ?= 10000
FIRST ?= 1

# Deterministic hashing makes a seed give the same world in every process.
simulate:
	@scripts/install build
	swift build -c release --product simulate --scratch-path .build/simulate $(SWIFT_FLAGS)
	@SWIFT_DETERMINISTIC_HASHING=1 .build/simulate/release/simulate $(WORLD) $(if $(SEED),seed $(SEED),$(SEEDS) $(FIRST))

KILLS ?= 1000

# Only a debug build contains the points at which the test ends the process.
crash:
	@scripts/install test
	swift build --product crash $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@.build/debug/crash $(STORE) $(KILLS) $(SEED)

ROWS ?= 100000

# A release build leaves most of the load to the database.
fleet:
	@scripts/install test
	swift build -c release --product fleet $(SWIFT_FLAGS)
	@.build/release/fleet $(ROWS) $(SEED)

CASES ?= 20000

# Sends malformed requests. Each must arrive as it was meant, or not at all.
fuzz:
	@scripts/install test
	swift build --product fuzz $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@.build/debug/fuzz $(CASES) $(SEED)

dashboards:
	@scripts/install test
	@scripts/dashboards

# Not a part of `make test`, because each slip needs a separate build and test run.
mutants:
	@scripts/install test
	@scripts/mutants $(if $(ONLY),--only '$(ONLY)') $(if $(FROM),--from $(FROM))

CUTS ?= 10000

power-loss:
	@scripts/install test
	swift build --product power-loss $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@.build/debug/power-loss $(CUTS) $(FIRST)

bench:
	@scripts/install bench
	@Benchmarks/run

bench-all:
	@scripts/install bench
	@Benchmarks/run all

# Counts instructions, which vary less than times, and takes seconds.
bench-quick:
	@scripts/install test
	@Benchmarks/quick

bench-record:
	@scripts/install test
	@Benchmarks/quick record

bench-fleet:
	@scripts/install bench
	@ERRAND_BENCH_LESS=$(or $(LESS),1) Benchmarks/fleet

format:
	swift format format --in-place --recursive $(FORMATTED)

clean:
	swift package clean
	rm -rf .build/sanitize .build/simulate Benchmarks/.build Examples/.build
