package record

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestASampleSeesWhatIsHeld(t *testing.T) {
	r := New(func() uint64 { return 1000 })
	before := r.Take()
	held := make([]byte, 10<<20)
	stop := make(chan bool)
	for range 10 {
		go func() { <-stop }()
	}
	time.Sleep(10 * time.Millisecond)
	after := r.Take()
	close(stop)
	runtime.KeepAlive(held)
	if d := after.Live - before.Live; d < 9<<20 {
		t.Errorf("10 MiB more are %v bytes", d)
	}
	if d := after.Goroutines - before.Goroutines; d != 10 {
		t.Errorf("ten goroutines more are %v", d)
	}
	if before.CallsRate <= 0 || after.CallsRate != 0 || after.At <= before.At || after.Mallocs <= before.Mallocs {
		t.Errorf("%+v\n%+v", before, after)
	}
	if runtime.GOOS == "linux" && (after.Threads < 1 || after.Resident < 1<<20) {
		t.Errorf("the system tells nothing: %+v", after)
	}
}

func TestTheTableHasALineForEachSample(t *testing.T) {
	var out strings.Builder
	if err := WriteCSV(&out, []Sample{{At: 1500 * time.Millisecond, Live: 1e7, Calls: 5}, {}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "1.500,10000000,") {
		t.Errorf("%q", lines)
	}
}

func TestTheMachineIsNamed(t *testing.T) {
	if m := Machine(); !strings.Contains(m, runtime.Version()) || !strings.Contains(m, "cores") {
		t.Error(m)
	}
}
