package park

import (
	"bytes"
	"math/bits"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Cores returns on how many cores the calling thread and the last that has called NoteCaller may
// run at this moment, by their affinity masks and by the CPU quota of the control group (version
// 2). A quota of one and a half cores counts as one.
func Cores() int {
	var mask CoreSet
	n := maxCores
	if mask.Get() > 0 {
		for i := range mask {
			mask[i] |= uint(callers[i].Load())
		}
		n = mask.Count()
	}
	for _, fd := range quotas() {
		n = min(n, quota(fd))
	}
	return n
}

// NoteCaller makes the cores of the calling thread those of the callers.
func NoteCaller() {
	var mask CoreSet
	if mask.Get() > 0 {
		for i := range mask {
			callers[i].Store(uintptr(mask[i]))
		}
	}
}

var callers [len(CoreSet{})]atomic.Uintptr

// A CoreSet is a set of up to 1,024 cores.
type CoreSet [1024 / bits.UintSize]uint

// Only returns the set of one core.
func Only(core int) (s CoreSet) {
	s[core/bits.UintSize] = 1 << (core % bits.UintSize)
	return s
}

// Count returns how many cores there are in s.
func (s *CoreSet) Count() (n int) {
	for _, word := range s {
		n += bits.OnesCount(word)
	}
	return n
}

// Get makes s the cores on which the calling thread may run. It returns how many bytes the kernel
// has written, or zero.
func (s *CoreSet) Get() (bytes int) {
	bytes, errno := Affinity(s[:])
	if errno != 0 {
		return 0
	}
	return bytes
}

// Affinity reads the affinity mask of the calling thread, in words as the kernel has them, and
// returns how many bytes it has.
func Affinity(mask []uint) (bytes int, errno syscall.Errno) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, size(mask),
		uintptr(unsafe.Pointer(&mask[0])))
	return int(n), errno
}

// SetAffinity sets the affinity mask of a thread, of the calling one if that is zero.
func SetAffinity(thread int, mask []uint) syscall.Errno {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(thread), size(mask),
		uintptr(unsafe.Pointer(&mask[0])))
	return errno
}

func size(mask []uint) uintptr { return uintptr(len(mask)) * unsafe.Sizeof(mask[0]) }

// quotas returns the open files with the quotas of the control group and of those around it.
var quotas = sync.OnceValue(func() (fds []int) {
	b, _ := os.ReadFile("/proc/self/cgroup")
	i := bytes.Index(b, []byte("0::/"))
	if i < 0 {
		return nil
	}
	group, _, _ := bytes.Cut(b[i+3:], []byte("\n"))
	for p := path.Clean(string(group)); p != "/"; p = path.Dir(p) {
		name := "/sys/fs/cgroup" + p + "/cpu.max"
		if fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
			fds = append(fds, fd)
		}
	}
	return fds
})

// quota reads a file such as "50000 100000", the quota and the period in microseconds, or "max
// 100000".
func quota(fd int) int {
	var b [48]byte
	n, err := syscall.Pread(fd, b[:], 0)
	if err != nil || n == 0 {
		return maxCores
	}
	var numbers [2]int
	field := 0
	for _, c := range b[:n] {
		switch {
		case c == ' ' && field == 0:
			field = 1
		case c >= '0' && c <= '9':
			numbers[field] = 10*numbers[field] + int(c-'0')
		case c != '\n':
			return maxCores
		}
	}
	return numbers[0] / max(1, numbers[1])
}
