package park

import (
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// onOneCore calls f on a thread that may run on one core.
func onOneCore(f func(core int, mask CoreSet)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		core := max(CPU(), 0)
		mask := Only(core)
		SetAffinity(0, mask[:])
		f(core, mask)
	}()
	<-done
}

func TestCores(t *testing.T) {
	NoteCaller()
	all := Cores()
	onOneCore(func(int, CoreSet) {
		if n := Cores(); n != all {
			t.Errorf("a thread on one core and its callers have %d cores, want %d", n, all)
		}
		NoteCaller()
		if n := Cores(); n > 1 {
			t.Errorf("a thread and a caller on one core have %d", n)
		}
	})
	NoteCaller()
}

func TestQuota(t *testing.T) {
	for text, want := range map[string]int{
		"max 100000\n": maxCores, "50000 100000\n": 0, "100000 100000\n": 1, "250000 100000\n": 2,
		"": maxCores, "100000 0": 100000,
	} {
		name := filepath.Join(t.TempDir(), "cpu.max")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := quota(int(f.Fd())); got != want {
			t.Errorf("%q are %d cores, want %d", text, got, want)
		}
		f.Close()
	}
	if got := quota(-1); got != maxCores {
		t.Errorf("without a file there are %d cores", got)
	}
}

func TestLeave(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		var before, after CoreSet
		before.Get()
		core, cores := CPU(), before.Count()
		if left := Leave(core); left != (cores > 1) {
			t.Errorf("Leave(%d) is %t with %d cores", core, left, cores)
		}
		if after.Get(); after != before {
			t.Errorf("the affinity mask is %x after Leave, and was %x", after, before)
		}
		for _, core := range []int{-1, bits.UintSize * len(before), 1 << 30} {
			if Leave(core) {
				t.Errorf("Leave(%d) is true", core)
			}
		}
	}()
	<-done
	onOneCore(func(core int, one CoreSet) {
		var after CoreSet
		if Leave(core) {
			t.Errorf("Leave(%d) is true with a mask of one core", core)
		}
		if after.Get(); after != one {
			t.Errorf("a mask of one core is %x after Leave", after)
		}
	})
}
