package osthread

import (
	"bytes"
	"syscall"
	"unsafe"

	"github.com/threadcall/threadcall/internal/ident"
)

func init() { names = property[string]{set: setName, get: name} }

const nameSize = 32 // with the zero at the end

func setName(name string) error {
	var b [nameSize]byte
	copy(b[:nameSize-1], name)
	_, _, errno := syscall.RawSyscall(syscall.SYS__LWP_SETNAME, uintptr(ident.Thread()),
		uintptr(unsafe.Pointer(&b)), 0)
	return failed(errno)
}

func name() (string, error) {
	var b [nameSize]byte
	_, _, errno := syscall.RawSyscall(syscall.SYS__LWP_GETNAME, uintptr(ident.Thread()),
		uintptr(unsafe.Pointer(&b)), nameSize)
	name, _, _ := bytes.Cut(b[:], []byte{0})
	return string(name), failed(errno)
}
