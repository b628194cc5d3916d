package bench

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Machine describes what figures belong to: processor, system, Go, the day, and the words of the
// kernel's command line that say how it schedules, halts and virtualizes cores. A lone call wakes a
// core that has halted, and what that takes depends on these above all.
func Machine() string {
	read := func(name string) string {
		text, _ := os.ReadFile(name)
		return strings.TrimSpace(string(text))
	}
	cpu := runtime.GOARCH
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindStringSubmatch(
		read("/proc/cpuinfo")); m != nil {
		cpu = m[1]
	}
	words := strings.Join(regexp.MustCompile(`\S*(?:sched|haltpoll|pvm)\S*`).FindAllString(
		read("/proc/cmdline"), -1), " ")
	if words == "" {
		words = "without sched, haltpoll, pvm"
	}
	version, _, _ := strings.Cut(read("/proc/sys/kernel/osrelease"), "-")
	return fmt.Sprintf("%d cores of %s, %s %s (kernel command line: %s), %s, %s", runtime.NumCPU(),
		cpu, runtime.GOOS, version, words, runtime.Version(), time.Now().Format(time.DateOnly))
}
