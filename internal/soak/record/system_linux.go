package record

import (
	"os"
	"strings"
)

// machine returns the processor's name and the kernel's.
func machine() (processor, kernel string) {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			processor = strings.TrimSpace(value)
			break
		}
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	number, _, _ := strings.Cut(strings.TrimSpace(string(release)), "-")
	return processor, "Linux " + number
}
