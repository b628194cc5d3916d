package osthread

import (
	"bytes"
	"os"
	"syscall"
	"unsafe"

	"github.com/threadcall/threadcall/internal/ident"
)

func init() { names = property[string]{set: setName, get: name} }

// What proc_info is asked for, see bsd/sys/proc_info.h of the kernel.
const (
	getInfo      = 2  // PROC_INFO_CALL_PIDINFO
	setControl   = 5  // PROC_INFO_CALL_SETCONTROL
	ofThread     = 15 // PROC_PIDTHREADID64INFO
	nameOfCaller = 2  // PROC_SELFSET_THREADNAME
)

const nameSize = 64 // with the zero at the end

func setName(name string) error {
	var b [nameSize]byte
	n := copy(b[:nameSize-1], name)
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PROC_INFO, setControl, uintptr(os.Getpid()),
		nameOfCaller, 0,
		uintptr(unsafe.Pointer(&b)), uintptr(n))
	return failed(errno)
}

func name() (string, error) {
	var info struct { // proc_threadinfo
		_    [2]uint64
		_    [8]int32
		name [nameSize]byte
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PROC_INFO, getInfo, uintptr(os.Getpid()), ofThread,
		uintptr(ident.Thread()),
		uintptr(unsafe.Pointer(&info)), unsafe.Sizeof(info))
	name, _, _ := bytes.Cut(info.name[:], []byte{0})
	return string(name), failed(errno)
}
