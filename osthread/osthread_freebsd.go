package osthread

import (
	"syscall"
	"unsafe"

	"github.com/threadcall/threadcall/internal/ident"
)

func init() { names = property[string]{set: setName} }

func setName(name string) error {
	b := append([]byte(name), 0)
	_, _, errno := syscall.RawSyscall(syscall.SYS_THR_SET_NAME, uintptr(ident.Thread()),
		uintptr(unsafe.Pointer(&b[0])), 0)
	return failed(errno)
}
