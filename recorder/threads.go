package recorder

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	"time"
)

// threadCategory is that of the log events with the names of threads: "id name".
const threadCategory = "threadcall.thread"

// nameThreads leaves the names of the threads that have one of their own in the trace, which has
// none, unless they are known. The others are named after the program.
func nameThreads(known map[string]bool) {
	const tasks = "/proc/self/task" // of Linux
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return
	}
	program, _ := os.Executable()
	for _, t := range threads {
		comm, err := os.ReadFile(filepath.Join(tasks, t.Name(), "comm"))
		name := strings.TrimSpace(string(comm))
		message := t.Name() + " " + name
		own := err == nil && name != "" && name != comm15(program) && name != comm15(os.Args[0])
		if own && !known[message] {
			trace.Log(context.Background(), threadCategory, message)
			known[message] = true
		}
	}
}

// watchThreads leaves the names also of threads that end before the trace does, until stop is
// called. It looks at them often at first, because programs make their threads when they start.
func watchThreads() (stop func()) {
	if runtime.GOOS != "linux" {
		return func() {}
	}
	done, ended, known := make(chan struct{}), make(chan struct{}), map[string]bool{}
	go func() {
		defer close(ended)
		for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
			select {
			case <-time.After(wait):
				nameThreads(known)
			case <-done:
				nameThreads(known)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// comm15 returns the name that the kernel gives the threads of a program: at most 15 bytes.
func comm15(program string) string {
	name := filepath.Base(program)
	return name[:min(len(name), 15)]
}
