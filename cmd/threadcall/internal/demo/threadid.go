package demo

import (
	"strconv"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/mainthread"
)

// Package variables are initialised on the main thread, before anything could have moved.
var atStart = ident.Thread()

// thisThread names the thread that the caller is on: by the number that the system shows, or, where
// that cannot be determined without C, by what the library says, as "main" or "other".
func thisThread() string {
	if n := ident.Thread(); n != 0 {
		return strconv.FormatUint(n, 10)
	}
	if mainthread.On() {
		return "main"
	}
	return "other"
}

// mainThread names the thread that the process began on, as thisThread would there.
func mainThread() string {
	if atStart != 0 {
		return strconv.FormatUint(atStart, 10)
	}
	return "main"
}
