# Errand. `make demo` shows it, `make test` checks it.

# The trait brings the outbox on PostgreSQL; without it no package needs libpq: make build TRAITS=
TRAITS := --traits Postgres,Inspector
SWIFT_FLAGS := -Xswiftc -warnings-as-errors $(TRAITS)
# The tests build a fifth faster without debug information; the names of functions stay. For a debugger: make test DEBUG_FLAGS=
DEBUG_FLAGS := -debug-info-format none

# What imports Apple's modules is built beside stand-ins for them, where they are missing.
ifneq ($(shell uname),Darwin)
export ERRAND_STAND_INS = 1
endif

.PHONY: help demo build install install-files test lint check-apple docs sanitize watch simulate crash fuzz power-loss fleet mutants bench bench-all bench-quick bench-record bench-fleet format clean

help:
	@echo "make demo      install what is missing, build, and watch real requests"
	@echo "make test      every test, the programs that test for long, and the formatter's check"
	@echo "make check-apple  type-checks on Linux what only Apple's platforms compile, against stand-ins for their modules"
	@echo "make docs      the articles and the reference, as a site of static pages"
	@echo "make sanitize  the tests under thread sanitizer"
	@echo "make watch     which tests hold a shared thread for more than 50 ms, and where"
	@echo "make simulate  virtual users on a bad network: SEEDS=10000 FIRST=1, or SEED=n to see one; WORLD=client|outbox"
	@echo "make crash     processes with an outbox are killed: KILLS=1000, SEED=n for the same course again; STORE=postgres"
	@echo "make fuzz      requests made of junk: CASES=1000000, SEED=n to begin with another"
	@echo "make fleet     workers share a PostgreSQL while everything goes wrong: ROWS=100000, SEED=n for the same course again"
	@echo "make power-loss  the power of machines with an outbox goes: CUTS=10000, FIRST=1"
	@echo "make mutants   one slip at a time, and whether a test notices: ONLY=regex, FROM=n"
	@echo "make bench     what a request costs, beside libcurl and URLSession; bench-all also what everything else costs"
	@echo "make bench-quick  whether a request takes more instructions than before; bench-record writes them down anew"
	@echo "make bench-fleet  figures of the outbox on PostgreSQL, beside pgbench: LESS=10 for a tenth"
	@echo "make build     the command line, as .build/release/errand"
	@echo "make install   that, its manual page and its completions: PREFIX=/usr/local, DESTDIR="
	@echo "make format    lay the sources out"

build:
	@scripts/install build
	swift build -c release --static-swift-stdlib --product errand $(SWIFT_FLAGS)

PREFIX ?= /usr/local
BINARY := .build/release/errand

install: build install-files

# What is built already, as BINARY says.
install-files:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/errand
	$(BINARY) man > $(DESTDIR)$(PREFIX)/share/man/man1/errand.1
	$(BINARY) completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/errand
	$(BINARY) completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_errand
	$(BINARY) completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/errand.fish

demo:
	@scripts/install build
	swift run $(TRAITS) $(DEBUG_FLAGS) ExampleTour

test:
	@scripts/install test
	swift build --build-tests $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@$(MAKE) --no-print-directory -j2 lint check-apple
	@ERRAND_PYTHON=$$(scripts/peers) ERRAND_WATCHING_PYTHON=$$(scripts/peers watching) scripts/test $(TRAITS)
	@scripts/programs
	@Benchmarks/quick

lint:
	swift format lint --strict --recursive Sources Tests Examples/Sources Examples/Apps Examples/Tests Benchmarks/Sources Package.swift Examples/Package.swift Benchmarks/Package.swift
	@scripts/mutants --check

# On Apple's platforms the compiler itself does it.
check-apple:
	@[ "$$(uname)" = Darwin ] || scripts/check-apple

# With the toolchain's docc, which warns of a link that leads nowhere: then it fails.
docs:
	@scripts/install build
	@scripts/docs $(SWIFT_FLAGS)

sanitize:
	@scripts/install test
	swift build --build-tests --sanitize thread --scratch-path .build/sanitize -Xswiftc -DERRAND_SANITIZER $(TRAITS)
	@TSAN_OPTIONS=halt_on_error=0 scripts/test --sanitize thread --scratch-path .build/sanitize $(TRAITS)
	@TSAN_OPTIONS=halt_on_error=0 scripts/programs .build/sanitize/debug sanitized

# Where a job holds one of the shared threads for more than 50 ms: FILTER=Tests, or all of them.
watch:
	@scripts/install test
	swift build --build-tests $(SWIFT_FLAGS)
	@scripts/watch $(TRAITS) $(if $(FILTER),--filter '$(FILTER)')

SEEDS ?= 10000
FIRST ?= 1

# Hashing without a seed of its own: the same world in every process.
simulate:
	@scripts/install build
	swift build -c release --product simulate --scratch-path .build/simulate $(SWIFT_FLAGS)
	@SWIFT_DETERMINISTIC_HASHING=1 .build/simulate/release/simulate $(WORLD) $(if $(SEED),seed $(SEED),$(SEEDS) $(FIRST))

KILLS ?= 1000

# A debug build: it has the places at which a process can be ended.
crash:
	@scripts/install test
	swift build --product crash $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@.build/debug/crash $(STORE) $(KILLS) $(SEED)

ROWS ?= 100000

# A release build: the load is to be the database's.
fleet:
	@scripts/install test
	swift build -c release --product fleet $(SWIFT_FLAGS)
	@.build/release/fleet $(ROWS) $(SEED)

CASES ?= 20000

# Requests made of junk: what does not arrive as it was meant must not arrive at all.
fuzz:
	@scripts/install test
	swift build --product fuzz $(SWIFT_FLAGS) $(DEBUG_FLAGS)
	@.build/debug/fuzz $(CASES) $(SEED)

# Not a part of `make test`: each slip is built and tested for itself.
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

# Free of noise, and short.
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
	swift format format --in-place --recursive Sources Tests Examples/Sources Examples/Apps Examples/Tests Benchmarks/Sources Package.swift Examples/Package.swift Benchmarks/Package.swift

clean:
	swift package clean
	rm -rf .build/sanitize .build/simulate Benchmarks/.build Examples/.build
