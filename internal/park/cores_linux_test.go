package park

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

func TestCoresFollowTheAffinityMask(t *testing.T) {
	before, after := make(chan int), make(chan int)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		before <- Cores()
		mask := [128]byte{}
		for i := range mask { // the first core that it may use
			mask[i] = 1
			if _, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0,
				unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask))); e == 0 {
				break
			}
			mask[i] = 0
		}
		after <- Cores()
	}()
	if b, a := <-before, <-after; b < a || a > 1 {
		t.Errorf("there are %d cores, and %d after the mask has one", b, a)
	}
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
		var before, after affinityMask
		size := before.get()
		core := CPU()
		left := Leave(core)
		if want := Cores() > 1; left != want && affinity() > 1 {
			t.Errorf("Leave(%d) is %t with %d cores", core, left, affinity())
		}
		if after.get(); after != before {
			t.Errorf("the affinity mask is % x after Leave, and was % x", after[:size], before[:size])
		}
		one := affinityMask{}
		one[core/8] = 1 << (core % 8)
		if one.set(size) && Leave(core) {
			t.Errorf("Leave(%d) is true with a mask of one core", core)
		}
		if after.get(); after != one {
			t.Errorf("a mask of one core is % x after Leave", after[:size])
		}
		for _, core := range []int{-1, 8 * len(before), 1 << 30} {
			if Leave(core) {
				t.Errorf("Leave(%d) is true", core)
			}
		}
	}()
	<-done
}
