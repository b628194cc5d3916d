package recorder

import (
	"context"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"time"
)

// threadCategory is that of the log events with the names of threads, which threadcall trace reads:
// "id name".
const threadCategory = "threadcall.thread"

// A namer leaves the names of the threads that have one of their own in the trace, which has none.
// The others are named after the program.
type namer struct {
	reads map[string]int // by thread
	known map[string]bool
}

func newNamer() *namer { return &namer{map[string]int{}, map[string]bool{}} }

// look leaves the names that are new. A thread gets its name after it was made, so it is read
// twice; with all, it is read again.
func (n *namer) look(all bool) {
	const tasks = "/proc/self/task"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return
	}
	program, _ := os.Executable()
	for _, t := range threads {
		if n.reads[t.Name()]++; n.reads[t.Name()] > 2 && !all {
			continue
		}
		comm, err := os.ReadFile(filepath.Join(tasks, t.Name(), "comm"))
		name := strings.TrimSpace(string(comm))
		message := t.Name() + " " + name
		own := err == nil && name != "" && name != comm15(program) && name != comm15(os.Args[0])
		if own && !n.known[message] {
			trace.Log(context.Background(), threadCategory, message)
			n.known[message] = true
		}
	}
}

// nameThreads leaves the names of the threads that exist.
func nameThreads() { newNamer().look(true) }

// watchThreads leaves the names also of threads that end before the trace does, until stop is
// called. It looks at them often at first, because programs make their threads when they start.
func watchThreads() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		n := newNamer()
		for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
			select {
			case <-time.After(wait):
				n.look(false)
			case <-done:
				n.look(true)
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
