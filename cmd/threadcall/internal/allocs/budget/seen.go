package budget

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// SeenVariable names the file to which instrumented functions write that they were called.
const SeenVariable = "THREADCALL_ALLOCS_SEEN"

const seenFile = "zz_threadcall_seen.go"

// Instrument returns the text of files by their names, in which the functions that have promised report that they
// are called, and with what. No line gets another number. The texts are for the go command's -overlay.
func (c *Check) Instrument() (map[string][]byte, error) {
	byFile := map[string][]int{}
	packages := map[string]string{} // names by directory
	for i, f := range c.Functions {
		byFile[f.File] = append(byFile[f.File], i)
		packages[filepath.Dir(f.File)] = f.clause
	}
	texts := map[string][]byte{}
	for name, indices := range byFile {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(indices, func(a, b int) int { return c.Functions[b].offset - c.Functions[a].offset })
		for _, i := range indices {
			f := c.Functions[i]
			call := fmt.Sprintf(" threadcallSeen(%d", i)
			for _, l := range f.Limits {
				call += fmt.Sprintf(", int64(%s), %d", l.Expr, l.Most)
			}
			text = slices.Insert(text, f.offset+1, []byte(call+");")...)
		}
		texts[name] = text
	}
	for dir, clause := range packages {
		texts[filepath.Join(dir, seenFile)] = fmt.Appendf(nil, seenSource, clause, SeenVariable)
	}
	return texts, nil
}

// seenSource is Go as old as a module may ask for. It writes a line when a function is called for the first time, or
// with other values than before; or, if there is no file, it uses up the block that tiny objects share before each call.
const seenSource = `package %s

import (
	threadcallOS "os"
	threadcallConv "strconv"
	threadcallSync "sync"
	threadcallAtomic "sync/atomic"
	threadcallUnsafe "unsafe"
)

var (
	threadcallSeenFile  = threadcallOS.Getenv(%q)
	threadcallSeenOnce  [1 << 14]uint32
	threadcallSeenLock  threadcallSync.Mutex
	threadcallSeenLines map[string]bool
	threadcallSeenTiny  *byte
)

//go:noinline
func threadcallSeen(id int, values ...int64) {
	if len(values) > 0 || threadcallAtomic.LoadUint32(&threadcallSeenOnce[id]) == 0 {
		threadcallSeenNote(id, values)
	}
	for threadcallSeenFile == "" {
		tiny := new(byte)
		threadcallSeenTiny = tiny
		if uintptr(threadcallUnsafe.Pointer(tiny))&15 == 15 {
			return
		}
	}
}

func threadcallSeenNote(id int, values []int64) {
	line := threadcallConv.Itoa(id)
	for _, v := range values {
		line += " " + threadcallConv.FormatInt(v, 10)
	}
	threadcallSeenLock.Lock()
	defer threadcallSeenLock.Unlock()
	threadcallAtomic.StoreUint32(&threadcallSeenOnce[id], 1)
	if threadcallSeenFile == "" || threadcallSeenLines[line] || len(threadcallSeenLines) > 100000 {
		return
	}
	if threadcallSeenLines == nil {
		threadcallSeenLines = map[string]bool{}
	}
	threadcallSeenLines[line] = true
	f, err := threadcallOS.OpenFile(threadcallSeenFile, threadcallOS.O_APPEND|threadcallOS.O_CREATE|threadcallOS.O_WRONLY, 0600)
	if err != nil {
		println("which functions were called:", err.Error())
		return
	}
	f.WriteString(line + "\n")
	f.Close()
}
`

// Limited reports whether some promise has limits.
func (c *Check) Limited() bool {
	return slices.ContainsFunc(c.Functions, func(f *Function) bool { return len(f.Limits) > 0 })
}

// Seen takes what the instrumented functions have written while the benchmark ran.
func (c *Check) Seen(benchmark, text string) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		i, err := strconv.Atoi(fields[0])
		if err != nil || i < 0 || i >= len(c.Functions) {
			continue
		}
		f := c.Functions[i]
		if len(fields)-1 != 2*len(f.Limits) {
			continue
		}
		all, beyond := true, false
		for j, l := range f.Limits {
			v, err := strconv.ParseInt(fields[1+2*j], 10, 64)
			beyond = beyond || err != nil || v > l.Most
			all = all && v == l.Most
		}
		if beyond {
			f.beyond[benchmark] = true
			continue
		}
		for j, l := range f.Limits {
			v, _ := strconv.ParseInt(fields[1+2*j], 10, 64)
			l.Seen = max(l.Seen, v)
		}
		f.Reached = true
		f.AtLimit = f.AtLimit || all && len(f.Limits) > 0
	}
}
