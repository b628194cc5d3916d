package trace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// Other things that the test binary can do instead of tests, with the file that the variable names.
const (
	recordMuch = "THREADCALL_TEST_RECORD_MUCH"
	readOnce   = "THREADCALL_TEST_READ"
)

const muchTrace = 300e6 // bytes

// TestABigTraceFits takes minutes: THREADCALL_TEST_BIG=1 go test -v -run TestABigTraceFits
func TestABigTraceFits(t *testing.T) {
	if os.Getenv("THREADCALL_TEST_BIG") == "" {
		t.Skip("set THREADCALL_TEST_BIG=1 to record and read a trace of 300 MB")
	}
	file := filepath.Join(t.TempDir(), "trace")
	run := func(does string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), does+"="+file)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", strings.TrimSpace(string(out)))
		return cmd
	}
	run(recordMuch)
	at, err := os.Stat(file)
	if err != nil || at.Size() < muchTrace {
		t.Fatalf("recorded %v, %v", at, err)
	}
	start := time.Now()
	cmd := run(readOnce)
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("a trace of %d MB: %.1f s, %.1f s of CPU, at most %d MB resident", at.Size()/1e6, time.Since(start).Seconds(),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), usage.Maxrss*1024/1e6)
	if usage.Maxrss*1024 >= 1e9 {
		t.Error("takes a gigabyte or more")
	}
}

func doInstead() bool {
	switch {
	case os.Getenv(recordMuch) != "":
		recordBigTrace(os.Getenv(recordMuch))
	case os.Getenv(readOnce) != "":
		readBigTrace(os.Getenv(readOnce))
	default:
		return false
	}
	return true
}

// recordBigTrace does what programs do, and much of it: goroutines come and go, wait for channels and locks, sleep,
// make system calls and garbage, and call threads.
func recordBigTrace(file string) {
	out, err := os.Create(file)
	if err != nil {
		panic(err)
	}
	if err := trace.Start(out); err != nil {
		panic(err)
	}
	var stop atomic.Bool
	var all sync.WaitGroup
	th := thread.New()
	var mu sync.Mutex
	work := make(chan chan []byte)
	for range 4 {
		all.Go(func() {
			for answer := range work {
				answer <- make([]byte, 2000)
			}
		})
	}
	var busy sync.WaitGroup
	for i := range 8 {
		busy.Go(func() {
			for n := 0; !stop.Load(); n++ {
				switch {
				case i == 0:
					th.Call(func() {})
				case n%50 == 0:
					os.ReadFile("/proc/self/stat")
				case n%20 == 0:
					done := make(chan bool)
					go func() { mu.Lock(); defer mu.Unlock(); close(done) }()
					<-done
				default:
					answer := make(chan []byte)
					work <- answer
					<-answer
				}
			}
		})
	}
	for {
		time.Sleep(50 * time.Millisecond)
		if at, err := out.Stat(); err != nil || at.Size() > muchTrace {
			break
		}
	}
	stop.Store(true)
	busy.Wait()
	close(work)
	all.Wait()
	trace.Stop()
	if err := out.Close(); err != nil {
		panic(err)
	}
}

func readBigTrace(file string) {
	f, err := os.Open(file)
	if err != nil {
		panic(err)
	}
	progress := 0
	r, err := Read(f, Options{Progress: func(int64) { progress++ }})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d events in %v, %d goroutines, %d calls; told its progress %d times\n", r.Trace.Events, r.Trace.Duration,
		r.Affinity.Goroutines, r.Calls.Total, progress)
}
