package osthread

import (
	"bytes"
	"math/bits"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"github.com/threadcall/threadcall/internal/cores"
)

func init() {
	names = property[string]{set: setName, get: name}
	affinities = property[[]int]{set: setAffinity, get: affinity}
	nices = property[int]{set: setNice, get: nice}
	realtimes = property[int]{set: setRealtime, get: realtime}
	masks = property[[]syscall.Signal]{set: setMask, get: mask}
	const cancel, setxid = 32, 33 // of the C library, for its threads
	unblockable = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL,
		syscall.SIGTRAP, cancel, setxid}
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

// A set of small numbers, as the kernel has it: in words of its own size.
type set []uint

func newSet(size int) set { return make(set, (size+bits.UintSize-1)/bits.UintSize) }

func (s set) add(n int)          { s[n/bits.UintSize] |= 1 << (n % bits.UintSize) }
func (s set) size() uintptr      { return uintptr(len(s)) * unsafe.Sizeof(s[0]) }
func (s set) at() unsafe.Pointer { return unsafe.Pointer(&s[0]) }

// members returns the numbers in ascending order, each plus first.
func members[T ~int](s set, first T) (numbers []T) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			numbers = append(numbers, T(i*bits.UintSize+bits.TrailingZeros(word))+first)
		}
	}
	return numbers
}

func setAffinity(cpus []int) error {
	s := newSet(cpus[len(cpus)-1] + 1)
	for _, cpu := range cpus {
		s.add(cpu)
	}
	return failed(cores.SetAffinity(self, s))
}

func affinity() ([]int, error) {
	s := newSet(maxCPUs)
	_, errno := cores.Affinity(s)
	return members(s, 0), failed(errno)
}

const process = 0 // PRIO_PROCESS, which is a thread

func setNice(n int) error {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SETPRIORITY, process, self, uintptr(n))
	return failed(errno)
}

func nice() (int, error) {
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

// How many signals there are, and SIG_SETMASK. The MIPS ports have more, and count from one.
var signals, setmask = func() (int, uintptr) {
	if strings.HasPrefix(runtime.GOARCH, "mips") {
		return 128, 3
	}
	return 64, 2
}()

func setMask(blocked []syscall.Signal) error {
	s := newSet(signals)
	for _, signal := range blocked {
		if signal < 1 || int(signal) > signals {
			return syscall.EINVAL
		}
		s.add(int(signal) - 1)
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setmask, uintptr(s.at()), 0,
		s.size(), 0, 0)
	return failed(errno)
}

func mask() ([]syscall.Signal, error) {
	s := newSet(signals)
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, 0, uintptr(s.at()), s.size(), 0,
		0)
	return members(s, syscall.Signal(1)), failed(errno)
}
