package oracle

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// The environment of the tests:
//
//	THREADCALL_SEED=n     TestRandomPrograms runs the program of this seed, again and again
//	THREADCALL_COLLECT=1  the garbage collector runs all the time
//
// The seed decides the program, not how the threads interleave, so a failure is replayed by running
// the program many times, and not every replay may show it.
func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetTraceback("all") // a crash shows the seed, see ofSeed
	go testutil.Collect()
	mainthread.Init(func() { os.Exit(m.Run()) })
}

var (
	random = flag.Duration("random", 20*time.Second,
		"how long to run random programs; half of it with -short")
	timeLimit = flag.Duration("time-limit", 45*time.Second,
		"how long a program may take that a slow machine cannot explain")
)

// needsCoroutines skips a test on js/wasm, where threads and coroutines do not go together: see
// docs/proof.md.
func needsCoroutines(t testing.TB) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("on js/wasm a thread that is made while a coroutine lives ends the process")
	}
}

// seedOf returns the first seed, by how much it grows, and how long a test runs.
func seedOf(t *testing.T, long time.Duration) (seed, step uint64, limit time.Duration) {
	if testing.Short() {
		long /= 2
	}
	s := os.Getenv("THREADCALL_SEED")
	if s == "" {
		return uint64(time.Now().UnixNano()), 1, long
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n, 0, long
}

// TestRandomPrograms runs the programs of one seed after another, some at a time, because most wait
// most of the time.
func TestRandomPrograms(t *testing.T) {
	needsCoroutines(t)
	seed, step, limit := seedOf(t, *random)
	if step == 0 {
		t.Logf("the program of seed %d, for %v:\n%v", seed, limit, seeded(seed))
	}
	goroutines := runtime.NumGoroutine()
	procs := runtime.GOMAXPROCS(0)
	var next, programs atomic.Uint64
	next.Store(seed)
	var failure atomic.Pointer[result]
	var all testutil.Group
	end := time.Now().Add(limit)
	for range 4 {
		all.Go(func() {
			for failure.Load() == nil && time.Now().Before(end) {
				programs.Add(1)
				if res := ofSeed(next.Add(step)-step, procs); res.failed() {
					failure.CompareAndSwap(nil, res)
				}
			}
		})
	}
	all.Wait()
	if res := failure.Load(); res != nil {
		fail(t, res, "")
	}
	t.Logf("%d programs", programs.Load())
	for start := time.Now(); runtime.NumGoroutine() > goroutines+2; time.Sleep(time.Millisecond) {
		if time.Since(start) > *timeLimit {
			t.Fatalf("%d goroutines are left, there were %d before", runtime.NumGoroutine(),
				goroutines)
		}
	}
}

// ofSeed runs the program of a seed. If that crashes the process, the first argument of ofSeed in
// the stack traces is the seed, or rather one of four.
//
//go:noinline
func ofSeed(seed uint64, procs int) *result {
	res := execute(seeded(seed), *timeLimit, procs)
	res.seed = seed
	return res
}

// fail reports what a program did. Without replay the program is that of a seed.
func fail(t *testing.T, res *result, replay string) {
	t.Helper()
	if replay == "" {
		replay = fmt.Sprintf("THREADCALL_SEED=%d go test -run TestRandomPrograms "+
			"./rig/oracle", res.seed)
	}
	t.Errorf("replay, which repeats the program, but not how its threads interleave:\n\t%s\n",
		replay)
	if res.hung {
		t.Fatalf("the program has not ended after %v\n%s", *timeLimit, res.report)
	}
	t.Fatalf("%s\nin the program\n%s", strings.Join(res.failures, "\n"), res.report)
}

// again runs a program many times and returns the first result that is a failure, or nil.
func again(p *program, limit time.Duration) *result {
	procs := runtime.GOMAXPROCS(0)
	for end := time.Now().Add(limit); ; {
		if res := execute(p, *timeLimit, procs); res.failed() {
			return res
		} else if time.Now().After(end) {
			return nil
		}
	}
}

// The programs in testdata/programs.txt have what has once gone wrong. A line with == names the
// program that follows.
func written(t testing.TB) map[string]*program {
	text, err := os.ReadFile("testdata/programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*program{}
	for part := range strings.SplitSeq(strings.TrimPrefix(string(text), "== "), "\n== ") {
		name, source, _ := strings.Cut(part, "\n")
		all[name] = parse(source)
	}
	return all
}

func TestWrittenPrograms(t *testing.T) {
	needsCoroutines(t)
	limit := *random / 100 // of each program
	if testing.Short() || testutil.Race {
		limit /= 2
	}
	for name, p := range written(t) {
		t.Run(name, func(t *testing.T) {
			if res := again(p, limit); res != nil {
				fail(t, res, "go test -run TestWrittenPrograms/"+name+" ./rig/oracle")
			}
		})
	}
}

// Random programs have each operation.
func TestParse(t *testing.T) {
	seen := map[verb]bool{}
	for seed := range uint64(2000) {
		p := seeded(seed)
		p.visit(func(o *op, _ spot) { seen[o.verb] = true })
		if read := parse(p.String()); !reflect.DeepEqual(read, p) {
			t.Fatalf("seed %d: the program\n%v\nis read as\n%v", seed, p, read)
		}
	}
	for v, table := range verbTable {
		if !seen[verb(v)] {
			t.Errorf("no program has %q", table.name)
		}
	}
}
