package testutil

import (
	"runtime"
	"syscall"
	"unsafe"
)

var user32 = syscall.NewLazyDLL("user32.dll")

// User32 calls a function of user32.dll, whose arguments are numbers, strings and pointers.
func User32(function string, args ...any) uintptr {
	words := make([]uintptr, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case int:
			words[i] = uintptr(arg)
		case uintptr:
			words[i] = arg
		case unsafe.Pointer:
			words[i] = uintptr(arg)
		case string:
			text, _ := syscall.UTF16PtrFromString(arg)
			args[i], words[i] = text, uintptr(unsafe.Pointer(text))
		default:
			panic("testutil: User32 with an argument of another type")
		}
	}
	r, _, _ := user32.NewProc(function).Call(words...)
	runtime.KeepAlive(args)
	return r
}

// What GUIMode returns.
const InMoveSize, InMenu = 0x2, 0x4

// GUIMode returns which of its loops Windows runs on the thread of a window.
func GUIMode(window uintptr) uint32 {
	var info struct {
		size, flags uint32
		windows     [6]uintptr
		caret       [4]int32
	}
	info.size = uint32(unsafe.Sizeof(info))
	User32("GetGUIThreadInfo", User32("GetWindowThreadProcessId", window, 0), unsafe.Pointer(&info))
	return info.flags
}
