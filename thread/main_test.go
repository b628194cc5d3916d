package thread_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// The environment of the tests:
//
//	THREADCALL_SEED=n          the seed of the stress tests, which log theirs
//	THREADCALL_COLLECT=1       the garbage collector runs all the time
//	THREADCALL_TIME_LIMIT=15s  how long to wait for what should come, instead of 45 s
//	THREADCALL_PROGRAM=name    run that program and no test: for the end of a process

// onLinux are programs that need Linux, by the first word of their name; the others are its
// arguments.
var onLinux = map[string]func(arguments []string){}

var collecting = testutil.Collecting

func TestMain(m *testing.M) {
	if program := programs[os.Getenv("THREADCALL_PROGRAM")]; program != nil {
		program()
		return
	}
	if words := strings.Fields(os.Getenv("THREADCALL_PROGRAM")); len(words) > 0 &&
		onLinux[words[0]] != nil {
		onLinux[words[0]](words[1:])
		return
	}
	go testutil.Collect()
	os.Exit(m.Run())
}

// timeLimit is how long something may take that a slow machine cannot explain.
var timeLimit = testutil.TimeLimit()

var raceEnabled = testutil.Race

var (
	ends              = testutil.Ends
	eventually        = testutil.Eventually
	occupy            = testutil.Occupy
	recovered         = testutil.Recovered
	mustPanic         = testutil.MustPanic
	seeded            = testutil.Seeded
	collectedAndEnded = testutil.CollectedAndEnded
)

// fork returns a source for another goroutine.
func fork(r *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) }

// scaled is how often to do something that takes far longer under the race detector.
func scaled(n int) int {
	if raceEnabled || collecting || testing.Short() {
		n /= 10
	}
	return max(n, 1)
}

// shortly is how long to do something that may go wrong at any time.
func shortly(d time.Duration) time.Duration {
	if testing.Short() {
		d /= 6
	}
	return d
}

// kept are the panics that a handler has been given.
type kept struct{ c chan *thread.PanicError }

// keepPanics returns a handler that keeps panics.
func keepPanics() (k kept, handler thread.Option) {
	k.c = make(chan *thread.PanicError, 10_000)
	return k, thread.WithPanicHandler(func(p *thread.PanicError) { k.c <- p })
}

// take returns the oldest that has not been taken, or nil.
func (k kept) take() *thread.PanicError {
	select {
	case p := <-k.c:
		return p
	default:
		return nil
	}
}

// quiet is for panics that are not to be reported.
var quiet = thread.WithPanicHandler(func(*thread.PanicError) {})

// start returns a thread that ends with the test.
func start(t testing.TB, opts ...thread.Option) *thread.Thread {
	th := thread.New(opts...)
	t.Cleanup(th.Terminate)
	return th
}

func startPool(t testing.TB, n int, opts ...thread.Option) *thread.Pool {
	t.Helper()
	p := thread.NewPool(n, opts...)
	t.Cleanup(p.Terminate)
	return p
}

// makers are the ways to make a thread, or a pool of two.
var makers = map[string]func(opts ...thread.Option) (runner, error){
	"New":       func(o ...thread.Option) (runner, error) { return thread.New(o...), nil },
	"Start":     func(o ...thread.Option) (runner, error) { return thread.Start(o...) },
	"NewPool":   func(o ...thread.Option) (runner, error) { return thread.NewPool(2, o...), nil },
	"StartPool": func(o ...thread.Option) (runner, error) { return thread.StartPool(2, o...) },
}

// here identifies the thread that the caller is on, where the system can tell.
func here() uint64 { return ident.Thread() }

// withoutFaultAddresses reports that a signal for a bad address does not have that address:
// qemu-user 7.2 leaves that field as it is on these processors. What Go makes of a nil pointer then
// depends on what happens to stand there.
var withoutFaultAddresses = os.Getenv(testutil.Emulator) != "" && slices.Contains([]string{"arm",
	"ppc64", "ppc64le"}, runtime.GOARCH)

// functionsOf returns a stack without the lines that name files, because the checkout may be
// anywhere.
func functionsOf(stack string) string {
	var functions strings.Builder
	for line := range strings.Lines(stack) {
		if !strings.HasPrefix(line, "\t") {
			functions.WriteString(line)
		}
	}
	return functions.String()
}

func nop() {}
