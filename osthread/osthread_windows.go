package osthread

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"syscall"
	"unsafe"
)

func init() {
	if setThreadDescription.Find() == nil && getThreadDescription.Find() == nil {
		names = property[string]{set: setName, get: name}
	}
	affinities = property[[]int]{set: setAffinity, get: affinity}
	nices = property[int]{set: func(n int) error { return setPriority(levelOf(n).priority) },
		get: nice, round: func(n int) int { return levelOf(n).nice }}
	realtimes = property[int]{set: func(n int) error { return setPriority(min(n, 1) * timeCritical) },
		get: realtime, round: func(n int) int { return min(n, 1) * 99 }}
}

var (
	kernel32               = syscall.NewLazyDLL("kernel32.dll")
	setThreadDescription   = kernel32.NewProc("SetThreadDescription")
	getThreadDescription   = kernel32.NewProc("GetThreadDescription")
	localFree              = kernel32.NewProc("LocalFree")
	setThreadGroupAffinity = kernel32.NewProc("SetThreadGroupAffinity")
	getThreadGroupAffinity = kernel32.NewProc("GetThreadGroupAffinity")
	setThreadPriority      = kernel32.NewProc("SetThreadPriority")
	getThreadPriority      = kernel32.NewProc("GetThreadPriority")
)

const self = ^uintptr(1) // GetCurrentThread

// failing is the error of a function that returns zero if it fails.
func failing(result, _ uintptr, errno syscall.Errno) error {
	if result != 0 {
		return nil
	}
	return cmp.Or(errno, syscall.EINVAL)
}

func setName(name string) error {
	s, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	result, _, _ := syscall.SyscallN(setThreadDescription.Addr(), self, uintptr(unsafe.Pointer(s)))
	return hresult(result)
}

func name() (string, error) {
	var s *uint16
	result, _, _ := syscall.SyscallN(getThreadDescription.Addr(), self, uintptr(unsafe.Pointer(&s)))
	if err := hresult(result); err != nil || s == nil {
		return "", err
	}
	defer syscall.SyscallN(localFree.Addr(), uintptr(unsafe.Pointer(s)))
	n := 0
	for *(*uint16)(unsafe.Add(unsafe.Pointer(s), 2*n)) != 0 {
		n++
	}
	return syscall.UTF16ToString(unsafe.Slice(s, n)), nil
}

func hresult(result uintptr) error {
	if int32(result) < 0 {
		return syscall.Errno(uint32(result))
	}
	return nil
}

type groupAffinity struct {
	mask  uintptr
	group uint16
	_     [3]uint16
}

func setAffinity(cpus []int) error {
	to := groupAffinity{group: uint16(cpus[0] / bits.UintSize)}
	for _, cpu := range cpus {
		if cpu/bits.UintSize != int(to.group) {
			return errors.Join(errors.New("the CPUs are in more than one processor group"), syscall.EINVAL)
		}
		to.mask |= 1 << (cpu % bits.UintSize)
	}
	return failing(syscall.SyscallN(setThreadGroupAffinity.Addr(), self,
		uintptr(unsafe.Pointer(&to)), 0))
}

func affinity() (cpus []int, err error) {
	var is groupAffinity
	err = failing(syscall.SyscallN(getThreadGroupAffinity.Addr(), self, uintptr(unsafe.Pointer(&is))))
	for mask := is.mask; mask != 0; mask &= mask - 1 {
		cpus = append(cpus, int(is.group)*bits.UintSize+bits.TrailingZeros(uint(mask)))
	}
	return cpus, err
}

// timeCritical is THREAD_PRIORITY_TIME_CRITICAL.
const timeCritical = 15

// A level is a priority of the system, and the niceness for which it stands.
type level struct{ nice, priority int }

// From THREAD_PRIORITY_HIGHEST to LOWEST, and IDLE.
var levels = []level{{-20, 2}, {-10, 1}, {0, 0}, {10, -1}, {15, -2}, {19, -15}}

// levelOf returns the level that is next to a niceness.
func levelOf(n int) level {
	distance := func(l level) int { return max(n-l.nice, l.nice-n) }
	return slices.MinFunc(levels, func(a, b level) int { return distance(a) - distance(b) })
}

func nice() (int, error) {
	is, err := priority()
	for _, l := range levels {
		if l.priority == is {
			return l.nice, err
		}
	}
	return 0, err
}

func realtime() (int, error) {
	is, err := priority()
	if is == timeCritical {
		return 99, err
	}
	return 0, err
}

func setPriority(to int) error {
	return failing(syscall.SyscallN(setThreadPriority.Addr(), self, uintptr(to)))
}

func priority() (int, error) {
	const errorReturn = 1<<31 - 1
	result, _, errno := syscall.SyscallN(getThreadPriority.Addr(), self)
	if int32(result) == errorReturn {
		return 0, failing(0, 0, errno)
	}
	return int(int32(result)), nil
}
