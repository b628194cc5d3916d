# What a contributor and CI run. Each target needs Go and make; anything else that is missing it installs (Debian, as
# root), and says so, or says what it leaves out.

GO          ?= go
MODULES     := . cmd/threadcall
CGO_MODULES := app examples # only gui checks them: they need Linux, X11 and a C compiler
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
PORTS       := $(shell $(GO) tool dist list | grep -E '^(linux|darwin|windows|freebsd|netbsd|openbsd)/|^js/wasm$$')
RUN         := $(GO) test -timeout 10m

.PHONY: all test browser gui bench soak lab sixminutes ports ports-quick ports-table ports-cores lint vuln cross plain race modes 386 gcc model faults fuzz allocs

all: test

# test is everything that must pass. Each of its parts can be made alone.
test: lint plain allocs race modes 386 cross ports-quick gui
	@echo 'make test: passed'

# plain is the way a user runs the tests; each module also builds on its own, outside the workspace.
plain: browser
	@for m in $(MODULES); do (cd $$m && echo "== $$m" && $(RUN) ./... && GOWORK=off $(GO) build ./...) || exit 1; done

race: gcc
	@if $(HAS_CC); then echo '$(RUN) -short -race ./...'; $(RUN) -short -race ./...; \
	else echo 'make: the tests with the race detector are NOT RUN: there is no C compiler' >&2; fi

# modes are the conditions under which the ten promises hold as well. THREADCALL_COLLECT keeps a collector running all the time;
# while a trace is recorded, every call is marked in it.
modes:
	$(RUN) -short -shuffle=on -cpu 1,2,4 ./thread ./mainthread ./internal/...
	GODEBUG=asyncpreemptoff=1 $(RUN) -short ./thread ./mainthread ./internal/...
	THREADCALL_COLLECT=1 $(RUN) -short ./thread ./mainthread ./internal/...
	$(RUN) -short -tags threadcall_noasm ./thread ./mainthread ./internal/...
	$(RUN) -short -o /dev/null -trace /dev/null ./internal/verify/oracle

# allocs looks whether the functions that promise not to allocate (//threadcall:noalloc) keep it, by the compiler's word and in
# benchmarks.
allocs:
	$(GO) run ./cmd/threadcall allocs -budget -benchtime 20ms -bench '^Benchmark(Thread|Pool|Serve|MainThread|Hot|Burst|Post)$$' \
		./thread ./mainthread ./internal/...

386:
	@if [ "$$($(GO) env GOHOSTARCH)" = amd64 ]; then GOARCH=386 CGO_ENABLED=0 $(RUN) -short ./thread ./mainthread ./internal/...; \
	else echo '386: not run, this is not an amd64 machine'; fi

# ports runs the tests on other processors and systems: natively, under qemu-user, Node and Wine. ports-quick runs only the
# packages that depend on the processor most, a minute in all; ports-table also writes the results to docs/ports.md.
ports:
	$(GO) run ./internal/ports

ports-quick:
	$(GO) run ./internal/ports -quick

ports-table:
	$(GO) run ./internal/ports -write docs/ports.md

# ports-cores runs the engine's tests on machines with 8 and 32 cores, which qemu emulates: half an hour. It shows what docs/ports.md
# has, and go run ./internal/ports -quick -cores 8 shows only that, in some minutes.
ports-cores:
	$(GO) run ./internal/ports -timeout 30m -cores 8,32

# gui checks the modules that open windows, on a screen in memory. The first time, it compiles Fyne's C code for minutes.
GUI_PACKAGES := gcc libc6-dev pkg-config xorg-dev libwayland-dev libxkbcommon-dev libgl-dev libgl1-mesa-dri xvfb
gui:
	@GO=$(GO) MODULES='$(CGO_MODULES)' PACKAGES='$(GUI_PACKAGES)' STATICCHECK=$(STATICCHECK) .ci/gui

# bench measures threadcall, the reference and a lower bound, interleaved, in all loads, and ends with one table of ratios: what
# loses is at the top. It takes twenty minutes on a machine that has nothing else to do. What can be chosen:
#
#	LOADS=Hot         only that, a regular expression
#	PLACEMENT=one     all threads of the process on one core; two: the called thread on another core than the callers
#	QUOTA=50          in a cgroup that has so many percent of one core, background load included
#	P=1               GOMAXPROCS
#	NICE=10           niceness; that of background load is 0, if root runs it
LOADS     = .
COUNT     = 12
BENCHTIME = 300ms
SUBJECTS := -col '/subject@(reference threadcall thread bound)'
bench: RESULTS := bench-$(shell date +%Y%m%dT%H%M%S).txt
bench:
	THREADCALL_PLACEMENT=$(PLACEMENT) $(if $(NICE),nice -n $(NICE)) $(if $(QUOTA),.ci/quota $(QUOTA)) $(GO) run ./cmd/threadcall bench $(SUBJECTS) \
		-bench '$(LOADS)' -count $(COUNT) -benchtime $(BENCHTIME) $(if $(P),-cpu $(P)) -o $(RESULTS) $(BENCHFLAGS) ./internal/bench
	@$(GO) run ./cmd/threadcall bench $(SUBJECTS) -filter '.unit:(ns/op OR p99-ns OR cpu-ns/op)' -ratios reference,bound $(RESULTS)

# soak runs the oracle's random programs for an hour, or make soak FOR=5m, and fails if anything grows. SVG=file draws what
# the process held.
FOR ?= 1h
soak:
	$(RUN) -timeout 0 -v -count=1 -run '^TestLongRun$$' ./internal/verify/oracle -long $(FOR) $(if $(SVG),-svg '$(abspath $(SVG))')

# lab makes the experiments of three articles again, in four to six minutes, and writes docs/lab.md; or, with
# make lab EXPERIMENTS=sieve, prints some of them. It needs an otherwise idle machine.
lab:
	$(GO) run ./cmd/threadcall/internal/lab $(if $(EXPERIMENTS),-run '$(EXPERIMENTS)')

# sixminutes repeats the article's measurement, two windows and the heap: six minutes for four designs at once, or
# make sixminutes FOR=10s. Without DISPLAY it needs xvfb-run (Debian package xvfb).
sixminutes: FOR = 6m
sixminutes:
	$(if $(DISPLAY),,xvfb-run -a -s '-screen 0 1600x900x24') $(GO) run ./app/internal/sixminutes -for $(FOR)

lint:
	@for m in $(MODULES); do (cd $$m && echo "== lint $$m" && \
		{ out=$$(gofmt -l .); test -z "$$out" || { echo "not as gofmt has it: $$out"; false; }; } && $(GO) vet ./... && \
		$(GO) run $(STATICCHECK) ./...) || exit 1; done

# vuln looks for known vulnerabilities in what the modules use. It needs vuln.go.dev, and says so if it cannot reach it.
vuln:
	@for m in $(MODULES); do (cd $$m && echo "== vuln $$m" && \
		if out=$$($(GO) run $(GOVULNCHECK) ./... 2>&1); then echo "$$out"; \
		elif echo "$$out" | grep -q 'fetching vulnerabilities.*dial tcp'; then \
			echo 'vuln: NOT CHECKED: the database at vuln.go.dev cannot be reached'; \
		else echo "$$out"; exit 1; fi) || exit 1; done

# faults makes one mistake after the other in a copy of the tree and prints which check notices it: half an hour.
faults: gcc
	$(GO) run ./internal/verify/faults

# fuzz lets the fuzzer write programs for the oracle, for a minute. What a run covers differs from run to run, so the
# fuzzer would spend all its time on making inputs smaller, if it were not told when to stop.
fuzz:
	$(GO) test -run FuzzPrograms -fuzz FuzzPrograms -fuzztime 1m -fuzzminimizetime 10x -parallel 2 ./internal/verify/oracle

# cross vets and builds every module, tests included, for every port of the systems that threadcall supports.
cross:
	@echo $(PORTS) | tr ' ' '\n' | GO=$(GO) MODULES='$(MODULES)' xargs -P 2 -n 1 .ci/port

# The race detector and the test of C callbacks need a C compiler.
HAS_CC := command -v gcc >/dev/null || command -v clang >/dev/null
gcc:
	@$(HAS_CC) || { echo 'make: installing gcc for the race detector'; $(CAN_INSTALL) && apt-get update -q && apt-get install -y -q gcc libc6-dev; } || \
	echo 'make: there is no C compiler, and it cannot be installed here; install gcc' >&2

# Only root can install, and only on Debian.
CAN_INSTALL := [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null

# The tests of pages need Chromium, and are skipped without it.
browser:
	@for name in chromium chromium-browser google-chrome google-chrome-stable; do command -v $$name >/dev/null && exit; done; \
	echo 'make: installing chromium for the tests of pages'; \
	{ $(CAN_INSTALL) && apt-get update -q && apt-get install -y -q --no-install-recommends chromium; } || echo 'make: chromium cannot be installed here: the tests of pages are SKIPPED' >&2

# model checks the engine's protocol, written down for spin in internal/verify/model, and that the checker finds seeded faults in it.
model:
	@for tool in spin gcc; do command -v $$tool >/dev/null || { \
		echo "make: installing $$tool for the model"; \
		{ $(CAN_INSTALL) && apt-get update -q && apt-get install -y -q spin gcc libc6-dev; } || \
		{ echo "make: there is no $$tool, and it cannot be installed here; install $$tool" >&2; exit 1; }; } || exit 1; done
	@internal/verify/model/check
