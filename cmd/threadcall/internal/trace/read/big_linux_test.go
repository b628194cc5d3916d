package read

import (
	"io"
	"os"
	"os/exec"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// readFrom makes the test binary read the trace in the file that the variable names, and do nothing else.
const readFrom = "THREADCALL_TEST_READ"

func init() {
	if file := os.Getenv(readFrom); file != "" {
		f, err := os.Open(file)
		if err == nil {
			_, err = Trace(f, Options{})
		}
		if err != nil {
			panic(err)
		}
		os.Exit(0)
	}
}

// TestABigTraceFits takes minutes: THREADCALL_TEST_BIG=1 go test -v -run TestABigTraceFits
func TestABigTraceFits(t *testing.T) {
	if os.Getenv("THREADCALL_TEST_BIG") == "" {
		t.Skip("set THREADCALL_TEST_BIG=1 to record and read a trace of 300 MB")
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	size := recordBig(t, file)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), readFrom+"="+file.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	resident := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * 1024
	t.Logf("%d MB of trace take %v of CPU and %d MB of memory", size/1e6, cmd.ProcessState.UserTime(), resident/1e6)
	if size < 300e6 || resident >= 1e9 {
		t.Errorf("%d bytes of trace, %d bytes of memory", size, resident)
	}
}

// recordBig records goroutines that come and go, wait for channels and locks, make system calls and garbage, and call
// threads.
func recordBig(t *testing.T, out *os.File) (size int64) {
	if err := trace.Start(out); err != nil {
		t.Skip(err)
	}
	defer trace.Stop()
	var stop atomic.Bool
	var busy sync.WaitGroup
	defer busy.Wait()
	defer stop.Store(true)
	th := thread.New()
	var mu sync.Mutex
	for i := range 8 {
		busy.Go(func() {
			for n := 0; !stop.Load(); n++ {
				answer := make(chan []byte)
				switch {
				case i == 0:
					th.Call(func() {})
				case n%50 == 0:
					os.ReadFile("/proc/self/stat")
				default:
					go func() { mu.Lock(); defer mu.Unlock(); answer <- make([]byte, 2000) }()
					<-answer
				}
			}
		})
	}
	for size < 300e6 {
		time.Sleep(50 * time.Millisecond)
		var err error
		if size, err = out.Seek(0, io.SeekCurrent); err != nil {
			t.Fatal(err)
		}
	}
	return size
}
