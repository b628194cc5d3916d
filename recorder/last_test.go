package recorder_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// keepsLast prints what is wrong.
func keepsLast() {
	if err := recorder.KeepLast(0, 1); err == nil {
		fmt.Println("KeepLast of no time has no error")
	}
	if err := recorder.KeepLast(time.Second, 1<<20); err != nil {
		fmt.Println(err)
		return
	}
	if err := recorder.KeepLast(time.Second, 1<<20); err == nil {
		fmt.Println("KeepLast has no error the second time")
	}
	th := thread.New(thread.WithName("named"))
	th.Call(func() {})
	var b bytes.Buffer
	for range 2 {
		b.Reset()
		if err := recorder.WriteLast(&b); err != nil {
			fmt.Println(err)
		}
	}
	failing := errors.New("as it should")
	if err := recorder.WriteLast(writerFunc(func([]byte) (int, error) { return 0, failing })); !errors.Is(err, failing) {
		fmt.Println("the writer's error becomes", err)
	}
	if err := os.WriteFile(os.Getenv("THREADCALL_TEST_FILE"), b.Bytes(), 0o666); err != nil {
		fmt.Println(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// old reports whether there is no FlightRecorder, which the output of a program must say then.
func old(t *testing.T, output string) bool {
	t.Helper()
	if !strings.HasPrefix(runtime.Version(), "go1.24") {
		return false
	}
	if !strings.Contains(output, "needs Go 1.25") {
		t.Errorf("output %q", output)
	}
	return true
}

func TestTheLastSecondsAreWritten(t *testing.T) {
	file := t.TempDir() + "/last.trace"
	output, status, _ := run(t, "keeps the last", file)
	if old(t, output) {
		return
	}
	data, err := os.ReadFile(file)
	if status != 0 || output != "" || err != nil || !bytes.HasPrefix(data, []byte("go 1.")) {
		t.Fatalf("status %d, output %q, %v, %d bytes", status, output, err, len(data))
	}
	if runtime.GOOS == "linux" && !bytes.Contains(data, []byte("named")) {
		t.Error("the trace does not have the name of the thread")
	}
}
