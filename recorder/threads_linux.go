package recorder

import (
	"context"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
)

// threadCategory is that of the log events with the names of threads, which threadcall trace reads: "id name".
const threadCategory = "threadcall.thread"

// nameThreads leaves the names of the threads that have one of their own in the trace, which has none. The others are named after
// the program.
func nameThreads() {
	const tasks = "/proc/self/task"
	all, err := os.ReadDir(tasks)
	if err != nil {
		return
	}
	program, _ := os.Executable()
	for _, t := range all {
		comm, err := os.ReadFile(filepath.Join(tasks, t.Name(), "comm"))
		name := strings.TrimSpace(string(comm))
		if err == nil && name != "" && name != comm15(program) && name != comm15(os.Args[0]) {
			trace.Log(context.Background(), threadCategory, t.Name()+" "+name)
		}
	}
}

// comm15 returns the name that the kernel gives the threads of a program, which has 15 bytes at most.
func comm15(program string) string {
	name := filepath.Base(program)
	return name[:min(len(name), 15)]
}
