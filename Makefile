# What a contributor and CI run. Each target needs Go and make. What else it needs, .ci/setup installs (Debian, as root), or
# lists with the command that installs it; without it, the target prints what is NOT RUN.

GO          ?= go
VERSION     ?= v0.1.0
MODULES     := . cmd/threadcall compat/mainthread
CGO_MODULES := app $(patsubst %/go.mod,%,$(wildcard examples/go.mod examples/*/go.mod)) # only gui checks them: they need Linux and C libraries
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
PORTS       := $(shell $(GO) tool dist list | grep -E '^(linux|darwin|windows|freebsd|netbsd|openbsd)/|^js/wasm$$')
TEST        := $(GO) test -timeout 10m

.PHONY: all test setup versions release-check release browser gui bench soak lab sixminutes ports ports-quick ports-cores wine lint vuln cross cross-quick plain race modes 386 model faults flakes allocs

all: test

# test is everything that must pass. Each of its parts can be made alone.
test: setup lint plain versions allocs race modes 386 cross-quick ports-quick gui release-check
	@echo 'make test: passed'

# setup installs all that test needs, at once.
setup:
	@.ci/setup cc browser gui egl webview python sdl qemu-user || echo 'make: some tests will not be run' >&2

# plain is the way a user runs the tests. The modules that are not published also build outside the workspace; the others
# do so in release-check.
plain:
	@.ci/setup browser || echo 'make: the tests of web pages are NOT RUN' >&2
	@for m in $(MODULES); do (cd $$m && echo "== $$m" && $(TEST) ./...) || exit 1; done
	@for m in . examples; do (cd $$m && GOWORK=off $(GO) build ./...) || exit 1; done

race:
	@if .ci/setup cc; then echo '$(TEST) -short -race ./...'; $(TEST) -short -race ./...; \
	else echo 'make: the tests with the race detector are NOT RUN' >&2; fi

# versions tests the core with all releases of Go that it supports, and the next one; but not again with the one that runs this.
VERSIONS := go1.24.11 go1.25.5 go1.26.8 go1.27rc1
CORE     := ./thread ./keyed ./mainthread ./osthread ./recorder ./recorder/recorderhttp ./internal/engine ./internal/callq ./internal/ident ./internal/park
versions: export GOWORK = off
versions:
	@for v in $(VERSIONS); do \
		case $$(GOTOOLCHAIN=local $(GO) env GOVERSION) in $$(echo $$v | sed -E 's/(go1\.[0-9]+).*/\1/')*) continue;; esac; \
		echo "== $$v"; export GOTOOLCHAIN=$$v; \
		$(GO) version || { echo "make: the tests with $$v are NOT RUN: it cannot be downloaded" >&2; continue; }; \
		$(GO) vet ./... && $(TEST) -short $(CORE) && $(TEST) -short -tags threadcall_noasm ./internal/ident ./internal/engine || exit 1; \
	done

# release-check publishes the modules to a directory, as VERSION, and uses them as a stranger would. release also tags them,
# see CONTRIBUTING.md.
release-check:
	@GO=$(GO) .ci/release check $(VERSION)

release:
	@GO=$(GO) .ci/release tag $(VERSION)

# modes are the conditions under which the ten promises hold as well. THREADCALL_COLLECT keeps a collector running all the time;
# while a trace is recorded, every call is marked in it.
PROMISES := ./thread ./keyed ./mainthread ./internal/engine ./internal/callq ./internal/freelist ./internal/ident ./internal/park ./internal/verify/oracle
modes:
	$(TEST) -short -shuffle=on -cpu 1,2,4 $(PROMISES)
	GODEBUG=asyncpreemptoff=1 $(TEST) -short $(PROMISES)
	THREADCALL_COLLECT=1 $(TEST) -short $(PROMISES)
	$(TEST) -short -tags threadcall_noasm $(PROMISES)
	$(TEST) -short -o /dev/null -trace /dev/null ./internal/verify/oracle

# allocs checks that the functions that promise not to allocate (//threadcall:noalloc) do not, by their compiled code and in
# benchmarks.
allocs:
	$(GO) run ./cmd/threadcall allocs -budget -benchtime 20ms -bench '^Benchmark(Thread|Pool|Serve|MainThread|Hot|Burst|Post)$$' \
		./thread ./keyed ./mainthread ./internal/...

386:
	@if [ "$$($(GO) env GOHOSTARCH)" = amd64 ]; then GOARCH=386 CGO_ENABLED=0 $(TEST) -short $(PROMISES) ./osthread; \
	else echo '386: not run, this is not an amd64 machine'; fi

# ports runs the tests on other processors and systems: natively, under qemu-user, Node and Wine. ports-quick runs only the
# packages that depend on the processor most, a minute in all.
ports:
	$(GO) run ./internal/ports

ports-quick:
	$(GO) run ./internal/ports -quick

# ports-cores runs the engine's tests on machines with 8 and 32 cores, which qemu emulates: half an hour. go run
# ./internal/ports -quick -cores 8 only counts how many threads spin, in some minutes.
ports-cores:
	$(GO) run ./internal/ports -timeout 30m -cores 8,32

# gui checks the modules that need C libraries, those with windows on a screen in memory. The first time, it compiles Fyne's C code for minutes.
gui:
	@GO=$(GO) MODULES='$(CGO_MODULES)' STATICCHECK=$(STATICCHECK) .ci/gui

# wine compiles module app for Windows and runs its tests under Wine, on a screen in memory. The first time, compiling alone takes five
# minutes of CPU time: cgo compiles programs with thousands of unknown names, for each of which gcc looks for a similar one among those of windows.h.
wine:
	@.ci/setup mingw wine gui openbox && cd app && GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc $(GO) vet ./...
	xvfb-run -a -s '-screen 0 1280x1024x24' sh -c 'openbox & exec $(GO) run ./internal/ports -app'

# bench measures threadcall, the reference and a lower bound, interleaved, in all loads, and ends with one table of ratios: what
# loses is at the top; then phases that follow one another in one process, next to a pair of threads that spin. It takes
# twenty-five minutes on a machine that has nothing else to do. What can be chosen:
#
#	LOADS=Hot         only that, a regular expression
#	PHASES=frame      only such phases
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
	THREADCALL_PLACEMENT=$(PLACEMENT) $(if $(NICE),nice -n $(NICE)) $(if $(QUOTA),.ci/quota $(QUOTA)) $(GO) run ./internal/bench/phases \
		-phase '$(PHASES)' $(if $(P),-procs $(P))

# soak runs the oracle's random programs for an hour, or make soak FOR=5m, and fails if anything grows.
FOR ?= 1h
soak:
	$(TEST) -timeout 0 -v -count=1 -run '^TestLongRun$$' ./internal/verify/oracle -long $(FOR)

# lab makes the experiments of three articles again, or with make lab EXPERIMENTS=sieve some of them, and prints the tables of
# docs/lab.md. It takes about four minutes on an otherwise idle machine.
lab:
	$(GO) run ./cmd/threadcall/internal/lab $(if $(EXPERIMENTS),-run '$(EXPERIMENTS)')

# sixminutes repeats the article's measurement, two windows and the heap: six minutes for four designs at once, or
# make sixminutes FOR=10s. Without DISPLAY it needs xvfb-run (Debian package xvfb).
sixminutes: FOR = 6m
sixminutes:
	$(if $(DISPLAY),,xvfb-run -a -s '-screen 0 1600x900x24') $(GO) run ./app/internal/sixminutes -for $(FOR)

lint:
	@.ci/columns .
	@for m in $(MODULES); do (cd $$m && echo "== lint $$m" && \
		{ out=$$(gofmt -l .); test -z "$$out" || { echo "not as gofmt has it: $$out"; false; }; } && $(GO) vet ./... && \
		$(GO) run $(STATICCHECK) ./...) || exit 1; done
	$(GO) run ./cmd/threadcall vet ./... ./cmd/threadcall/...

# cover prints how many of the core's statements its tests run, in CI also to the summary of the run.
.PHONY: cover
cover:
	$(TEST) -short -coverpkg=$$(echo $(CORE) | tr ' ' ,) -coverprofile=cover.out $(CORE)
	@$(GO) tool cover -func=cover.out | tail -n 1 | tee -a "$${GITHUB_STEP_SUMMARY:-/dev/null}"

# vuln looks for known vulnerabilities in what the modules use. It needs vuln.go.dev, and says so if it cannot reach it.
vuln:
	@for m in $(MODULES); do (cd $$m && echo "== vuln $$m" && \
		if out=$$($(GO) run $(GOVULNCHECK) ./... 2>&1); then echo "$$out"; \
		elif echo "$$out" | grep -q 'fetching vulnerabilities.*dial tcp'; then \
			echo 'vuln: NOT CHECKED: the database at vuln.go.dev cannot be reached'; \
		else echo "$$out"; exit 1; fi) || exit 1; done

# faults makes one mistake after the other and prints which check notices it: half an hour. make faults RANDOM=100 SEED=1 makes
# 100 at random places, in two hours; FROM=n begins with number n, PACKAGES='thread mainthread' takes these alone.
faults:
	@.ci/setup cc
	$(GO) run ./internal/verify/faults $(if $(RANDOM),-random $(RANDOM) $(if $(SEED),-seed $(SEED)) $(if $(FROM),-from $(FROM)) $(PACKAGES))

# flakes runs the tests of the core N times with GOMAXPROCS 1, 2 and 4, while the collector runs all
# the time, and with the race detector, LOAD times next to four busy loops, and prints what failed
# how often: some hours. What can be chosen:
#
#	N=5 LOAD=1           how often
#	PKGS=./thread        only these packages
#	RUN=Close WHEN=race  only these tests and conditions, regular expressions
N    = 50
LOAD = 10
flakes:
	@.ci/setup cc
	@GO=$(GO) N=$(N) LOAD=$(LOAD) RUN='$(RUN)' WHEN='$(WHEN)' .ci/flakes $(PKGS)

# cross vets and builds every module, tests included, for every port of the systems that threadcall supports: half an hour, where
# nothing has been compiled before. cross-quick does so for one port of each system and one of each kind of processor.
QUICK_PORTS         := linux/386 linux/s390x darwin/arm64 windows/amd64 freebsd/amd64 netbsd/amd64 openbsd/amd64 js/wasm
QUICK_COMMAND_PORTS := darwin/arm64 windows/amd64 js/wasm
cross:
	@{ for m in $(MODULES); do printf "%s $$m " $(PORTS); done; } | GO=$(GO) xargs -P 2 -n 2 .ci/port

cross-quick:
	@{ printf '%s . ' $(QUICK_PORTS); printf '%s cmd/threadcall ' $(QUICK_COMMAND_PORTS); } | GO=$(GO) xargs -P 2 -n 2 .ci/port

# model checks the engine's protocol, written down for spin in internal/verify/model, and that the checker finds seeded faults in it.
model:
	@.ci/setup model && internal/verify/model/check
