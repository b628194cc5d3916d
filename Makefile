# What a contributor and CI run, with Go and make: test, then ci. What else a target needs, .ci/setup
# installs (Debian, as root) or lists; without it, the target prints what is NOT RUN.

GO          ?= go
VERSION     ?= v0.1.0
MODULES     := . cmd/threadcall compat/mainthread compat/thread nativeloop rig
CGO_MODULES := app $(patsubst %/go.mod,%,$(wildcard examples/go.mod examples/*/go.mod))
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
PORTS       := $(shell $(GO) tool dist list | grep -E '^(linux|darwin|windows|freebsd|netbsd|openbsd)/|^js/wasm$$')
TEST        := $(GO) test -timeout 30m

.PHONY: all test ci setup versions release-check release browser gui bench bench-loads bench-phases speed plots soak sixminutes ports ports-quick ports-cores wine lint vuln cross cross-quick plain race modes 386 model faults ablate flakes allocs

all: test

# test is what a change can break, in minutes: build, vet and the tests of the modules without
# windows, and the core's with the race detector. It leaves nothing in the working tree.
test:
	@.ci/clean $(MAKE) --no-print-directory plain race
	@echo 'make test: passed'

# ci is what must pass besides. Each of its parts can be made alone.
ci: setup lint versions allocs modes 386 cross-quick ports-quick gui release-check
	@echo 'make ci: passed'

# setup installs all that ci needs, at once, and downloads the linter.
setup:
	@.ci/setup cc gtk app egl webview python sdl qemu-user || echo 'make: some tests will not be run' >&2
	@.ci/retry $(GO) run $(STATICCHECK) -version >/dev/null

# plain is the way a user runs the tests.
plain:
	@.ci/setup gtk cc || echo 'make: the tests of what is missing are NOT RUN' >&2
	@for m in $(MODULES); do (cd $$m && echo "== $$m" && $(CURDIR)/.ci/retry $(GO) list -deps -test ./... >/dev/null && \
		$(GO) build -o /dev/null ./... && $(GO) vet ./... && $(TEST) -vet=off ./...) || exit 1; done

race:
	@if .ci/setup cc; then echo '$(TEST) -short -race -vet=off ./... ./rig/oracle ./rig/bench'; $(TEST) -short -race -vet=off ./... ./rig/oracle ./rig/bench; \
	else echo 'make: the tests with the race detector are NOT RUN' >&2; fi

# versions tests the core with all releases of Go that it supports, and the next one; but not again with the one that runs this.
VERSIONS := go1.24.11 go1.25.5 go1.26.8 go1.27rc1
CORE     := ./thread ./keyed ./mainthread ./osthread ./recorder ./recorder/recorderhttp ./internal/engine ./internal/callq ./internal/ident ./internal/park ./internal/cores ./internal/sched ./internal/spin ./internal/observe
versions: export GOWORK = off
versions:
	@for v in $(VERSIONS); do \
		case $$(GOTOOLCHAIN=local $(GO) env GOVERSION) in $$(echo $$v | sed -E 's/(go1\.[0-9]+).*/\1/')*) continue;; esac; \
		echo "== $$v"; export GOTOOLCHAIN=$$v; \
		$(CURDIR)/.ci/retry $(GO) version || { echo "make: the tests with $$v are NOT RUN: it cannot be downloaded" >&2; continue; }; \
		$(GO) vet ./... && $(TEST) -short $(CORE) && $(TEST) -short -tags threadcall_noasm ./internal/ident ./internal/engine || exit 1; \
	done

# release-check publishes the modules to a directory, as VERSION, and uses them as a stranger would.
# release also tags them, see CONTRIBUTING.md.
release-check release:
	@GO=$(GO) .ci/release $(if $(findstring check,$@),check,tag) $(VERSION)

# modes are the conditions under which the ten promises hold as well. THREADCALL_COLLECT keeps a collector running all the time;
# while a trace is recorded, every call is marked in it.
PROMISES := ./thread ./keyed ./mainthread ./internal/engine ./internal/callq ./internal/freelist ./internal/ident ./internal/park ./internal/cores ./internal/sched ./internal/spin ./internal/observe ./internal/shortage ./rig/oracle
modes:
	$(TEST) -short -shuffle=on -cpu 1,2,4 $(PROMISES)
	GODEBUG=asyncpreemptoff=1 $(TEST) -short $(PROMISES)
	THREADCALL_COLLECT=1 $(TEST) -short $(PROMISES)
	$(TEST) -short -tags threadcall_noasm $(PROMISES)
	$(TEST) -short -o /dev/null -trace /dev/null ./rig/oracle

# allocs checks that the functions that promise not to allocate (//threadcall:noalloc) do not, by their compiled code and in
# benchmarks.
allocs:
	$(GO) run ./cmd/threadcall allocs -budget -benchtime 20ms -bench '^Benchmark(Thread|Pool|Serve|MainThread|Hot|Burst|Post)$$' \
		./thread ./keyed ./mainthread ./internal/...

386:
	@if [ "$$($(GO) env GOHOSTARCH)" = amd64 ]; then GOARCH=386 CGO_ENABLED=0 $(TEST) -short $(PROMISES) ./osthread; \
	else echo '386: not run, this is not an amd64 machine'; fi

# ports runs the tests on other processors and systems, see .ci/ports; ports-quick only those
# that depend on the processor most, a minute in all; ports-cores the engine's on emulated machines
# with 8 and 32 cores, half an hour.
ports:
	@GO=$(GO) .ci/ports

ports-quick:
	@GO=$(GO) QUICK=yes .ci/ports

ports-cores:
	@GO=$(GO) .ci/cores 8 32

# gui checks the examples and the modules that need C libraries, those with windows on a screen in
# memory, and does what docs/start.md says.
gui:
	@GO=$(GO) MODULES='$(CGO_MODULES)' STATICCHECK=$(STATICCHECK) .ci/gui
	$(TEST) -run '^TestStart$$' ./docs

# wine compiles modules app and nativeloop for Windows, the first time for five minutes, and runs
# their tests under Wine, on a screen in memory.
wine:
	@.ci/setup mingw wine gui openbox && cd app && GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc $(GO) vet ./...
	xvfb-run -a -s '-screen 0 1280x1024x24' sh -c 'openbox & exec .ci/wine wine-app \
		env GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc \
		$(TEST) -short -count=1 -exec wine -p=1 ./nativeloop ./app/...' # one by one: both need the keyboard

# bench measures threadcall, the reference and a lower bound, interleaved, in all loads, and prints a
# table; then the same of phases that follow one another in one process. It takes half an
# hour on an idle machine. What can be chosen:
#
#	LOADS=Hot, PHASES=frame  only these loads, only these phases, or both: regular expressions
#	CORES=0                  on these cores only, as taskset takes them
#	P=1 NICE=10              GOMAXPROCS, niceness
#	QUOTA=50                 in a cgroup that has so many percent of one core
LOADS     = .
COUNT     = 12
BENCHTIME = 300ms
UNDER    := $(if $(CORES),taskset -c $(CORES)) $(if $(NICE),nice -n $(NICE)) $(if $(QUOTA),.ci/quota $(QUOTA))
bench: RESULTS := bench-$(shell date +%Y%m%dT%H%M%S).txt
bench: $(if $(filter-out .,$(LOADS))$(PHASES),$(if $(filter-out .,$(LOADS)),bench-loads) $(if $(PHASES),bench-phases),bench-loads bench-phases)
bench-loads:
	$(UNDER) $(GO) run ./cmd/threadcall bench \
		-bench '$(LOADS)' -count $(COUNT) -benchtime $(BENCHTIME) -for 0 $(if $(P),-cpu $(P)) -o $(RESULTS) $(BENCHFLAGS) ./rig/bench
	@$(GO) run ./rig/plots $(RESULTS)
bench-phases:
	$(UNDER) $(if $(P),env GOMAXPROCS=$(P)) $(GO) run ./rig/bench/phases -phase '$(PHASES)' >$(RESULTS:bench-%=bench-phases-%)
	@$(GO) run ./rig/plots $(RESULTS:bench-%=bench-phases-%)

# speed measures what README.md and docs/performance.md show, in four minutes on an idle machine, and
# plots draws it and writes the table of README.md and docs/speed.txt: from speed.txt, or RESULTS='FILE ...'.
ROUNDS  = 6
CROWDED = ^(loop|loop, 15 µs of work|loop, 16 callers|100 Go and a Call|frame 16 ms, 50 calls, 10 µs|burst of 200 after 4 ms|lone call each 2 ms)$$
speed:
	$(GO) run ./rig/bench/phases -rounds $(ROUNDS) -for 200ms >speed.txt
	$(GO) run ./rig/bench/phases -rounds $(ROUNDS) -for 200ms -crowded -phase '$(CROWDED)' >>speed.txt
	$(GO) test -c -o speed.test ./rig/bench
	for round in $$(seq $(ROUNDS)); do ./speed.test -test.run '^$$' -test.bench 'Short|Setns' -test.benchtime 200x >>speed.txt || exit; done
	rm speed.test
	$(MAKE) plots RESULTS=speed.txt

# bundle makes a folder with what measures and tests on a machine without Go, one with many cores;
# ARCH=arm64 is for another processor.
.PHONY: bundle
bundle:
	@GO=$(GO) .ci/bundle bundle $(ARCH)

plots: RESULTS = speed.txt
plots:
	$(GO) run ./rig/plots -write $(RESULTS)

# soak runs the oracle's random programs for an hour, or make soak FOR=5m, and fails if anything grows.
FOR ?= 1h
soak:
	$(TEST) -timeout 0 -v -count=1 -run '^TestLongRun$$' ./rig/oracle -long $(FOR)

# sixminutes repeats the article's measurement, two windows and the heap, or make sixminutes FOR=10s.
sixminutes: FOR = 6m
sixminutes:
	$(GO) test -count=1 -timeout 0 -run '^TestSixMinutes$$' -v ./app -sixminutes $(FOR)

lint:
	@.ci/columns .
	@for m in $(MODULES); do (cd $$m && echo "== lint $$m" && \
		{ out=$$(gofmt -l .); test -z "$$out" || { echo "not as gofmt has it: $$out"; false; }; } && \
		$(GO) run $(STATICCHECK) ./...) || exit 1; done
	$(GO) run ./cmd/threadcall vet ./... ./cmd/threadcall/... ./rig/...

# cover prints how many of the core's statements its tests run, in CI also to the summary of the run.
.PHONY: cover
cover:
	$(TEST) -short -coverpkg=$$(echo $(CORE) | tr ' ' ,) -coverprofile=cover.out $(CORE)
	@$(GO) tool cover -func=cover.out | tail -n 1 | tee -a "$${GITHUB_STEP_SUMMARY:-/dev/null}"

# vuln looks for known vulnerabilities in what the modules use. It needs vuln.go.dev.
vuln:
	@for m in $(MODULES); do (cd $$m && echo "== vuln $$m" && \
		{ out=$$($(GO) run $(GOVULNCHECK) ./... 2>&1) && echo "$$out" || { echo "$$out"; \
		echo "$$out" | grep -q 'fetching vulnerabilities.*dial tcp' && echo 'vuln: NOT CHECKED'; }; }) || exit 1; done

# faults makes one mistake after the other and prints which check notices it: half an hour; with
# RANDOM=100 SEED=1 at 100 random places, two hours.
faults:
	@.ci/setup cc
	$(GO) run ./rig/faults $(if $(RANDOM),-random $(RANDOM) $(if $(SEED),-seed $(SEED)) $(PACKAGES))

# ablate takes one mechanism out of the engine after the other, and prints what is worse without:
# half an hour on an idle machine. MECHANISMS='price load' chooses some, FLAGS what else the command
# has, as in FLAGS='-when quiet,crowded,quota -p 1,4'.
ablate:
	$(GO) run ./rig/ablate $(FLAGS) $(MECHANISMS)

# flakes runs the tests N times under each condition, LOAD times next to four busy loops, and prints
# what failed how often: some hours. PKGS=./thread, RUN=Close and WHEN=race choose packages, tests and
# conditions.
N    = 50
LOAD = 10
flakes:
	@.ci/setup cc
	@GO=$(GO) N=$(N) LOAD=$(LOAD) RUN='$(RUN)' WHEN='$(WHEN)' .ci/flakes $(PKGS)

# cross vets and builds every module, tests included, for every port of the systems that threadcall
# supports: half an hour. cross-quick does so for one port of each system and kind of processor.
QUICK_PORTS         := linux/386 linux/s390x darwin/arm64 windows/amd64 freebsd/amd64 netbsd/amd64 openbsd/amd64 js/wasm
QUICK_COMMAND_PORTS := darwin/arm64 windows/amd64 js/wasm
cross:
	@{ for m in $(MODULES); do printf "%s $$m " $(PORTS); done; } | GO=$(GO) xargs -P 2 -n 2 .ci/port

cross-quick:
	@{ printf '%s . ' $(QUICK_PORTS); printf '%s cmd/threadcall ' $(QUICK_COMMAND_PORTS); } | GO=$(GO) xargs -P 2 -n 2 .ci/port

# model checks the engine's protocol in rig/model, and that the checker finds faults.
model:
	@.ci/setup model
	$(TEST) -count=1 -v -parallel 2 ./rig/model -search
