package osthread

import (
	"bytes"
	"math/bits"
	"syscall"
	"unsafe"

	"github.com/threadcall/threadcall/internal/cores"
)

func init() {
	names = property[string]{set: setName, get: name}
	affinities = property[[]int]{set: setAffinity, get: affinity}
	nices = property[int]{set: setNice, get: nice}
	realtimes = property[int]{set: setRealtime, get: realtime}
}

const self = 0 // the calling thread

const nameSize = 16 // with the zero at the end

func setName(name string) error {
	var b [nameSize]byte
	copy(b[:nameSize-1], name)
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_NAME,
		uintptr(unsafe.Pointer(&b)), 0)
	return failed(errno)
}

func name() (string, error) {
	var b [nameSize]byte
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_GET_NAME,
		uintptr(unsafe.Pointer(&b)), 0)
	name, _, _ := bytes.Cut(b[:], []byte{0})
	return string(name), failed(errno)
}

func setAffinity(cpus []int) error {
	mask := make([]uint, cpus[len(cpus)-1]/bits.UintSize+1)
	for _, cpu := range cpus {
		mask[cpu/bits.UintSize] |= 1 << (cpu % bits.UintSize)
	}
	return failed(cores.SetAffinity(self, mask))
}

func affinity() (cpus []int, err error) {
	for size := 1024; ; size *= 2 {
		mask := make([]uint, size/bits.UintSize)
		_, errno := cores.Affinity(mask)
		if errno == syscall.EINVAL && size < maxCPUs { // the kernel has room for more CPUs
			continue
		}
		for i, word := range mask {
			for ; word != 0; word &= word - 1 {
				cpus = append(cpus, i*bits.UintSize+bits.TrailingZeros(word))
			}
		}
		return cpus, failed(errno)
	}
}

func setNice(n int) error {
	const process = 0 // PRIO_PROCESS, which is a thread
	_, _, errno := syscall.RawSyscall(syscall.SYS_SETPRIORITY, process, self, uintptr(n))
	return failed(errno)
}

func nice() (int, error) {
	const process = 0
	n, _, errno := syscall.RawSyscall(syscall.SYS_GETPRIORITY, process, self, 0)
	return 20 - int(n), failed(errno) // the kernel keeps it positive
}

const (
	normal     = 0 // SCHED_OTHER
	fifo       = 1 // SCHED_FIFO
	roundRobin = 2 // SCHED_RR
	flags      = 1 << 30
)

func setRealtime(priority int) error {
	policy := uintptr(fifo)
	if priority == 0 {
		policy = normal
	}
	param := int32(priority)
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, self, policy,
		uintptr(unsafe.Pointer(&param)))
	return failed(errno)
}

func realtime() (int, error) {
	policy, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETSCHEDULER, self, 0, 0)
	if policy &^= flags; errno != 0 || policy != fifo && policy != roundRobin {
		return 0, failed(errno)
	}
	var param int32
	_, _, errno = syscall.RawSyscall(syscall.SYS_SCHED_GETPARAM, self, uintptr(unsafe.Pointer(&param)),
		0)
	return int(param), failed(errno)
}
