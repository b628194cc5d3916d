package ui

import (
	"os"

	"golang.org/x/sys/windows"
)

// understandsCodes switches escape codes on in the console and reports whether it has them; older
// consoles do not.
func understandsCodes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
