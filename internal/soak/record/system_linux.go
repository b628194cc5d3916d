package record

import (
	"os"
	"strconv"
	"strings"
)

// fromSystem asks the kernel for the number of threads and the resident bytes.
func fromSystem() (threads, resident float64) {
	status, _ := os.ReadFile("/proc/self/status") // without it, both are zero
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 64)
		switch name {
		case "Threads":
			threads = n
		case "VmRSS":
			resident = n * 1024
		}
	}
	return threads, resident
}

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
