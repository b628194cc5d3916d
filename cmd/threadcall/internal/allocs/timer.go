package allocs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"

	"github.com/threadcall/threadcall/internal/record"
)

// While the timer of a benchmark is stopped, nothing is in the profile, as it is not in the figures of -benchmem: the test
// files' calls of StopTimer, StartTimer and ResetTimer also set the rate. What was allocated before ResetTimer is in a
// profile of its own, the base.
const (
	baseSuffix    = ".base"
	stoppedSuffix = ".stopped" // objects and bytes since the base that were allocated while the timer was stopped

	timer = `
var threadcallAllocsTimer struct {
	stopped                      bool
	fromObjects, fromBytes       uint64
	stoppedObjects, stoppedBytes uint64
	resets                       int
	file                         *os.File
	text                         [64]byte
}

func threadcallAllocsTimed() bool {
	t := &threadcallAllocsTimer
	name := os.Getenv("` + variable + `")
	if name != "" && t.file == nil {
		t.file, _ = os.Create(name + "` + stoppedSuffix + `")
	}
	return t.file != nil
}

func threadcallAllocsCount() (objects, bytes uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs, m.TotalAlloc
}

var threadcallAllocsKept *[32]byte

// The runtime takes a new rate when it allocates next on the same processor, and profiles that object.
func threadcallAllocsRate(rate int) {
	runtime.MemProfileRate = rate
	threadcallAllocsKept = new([32]byte)
}

func threadcallAllocsStop(b interface{ StopTimer() }) {
	b.StopTimer()
	t := &threadcallAllocsTimer
	if !t.stopped && threadcallAllocsTimed() {
		t.stopped = true
		t.fromObjects, t.fromBytes = threadcallAllocsCount()
		threadcallAllocsRate(0)
	}
}

func threadcallAllocsStart(b interface{ StartTimer() }) {
	t := &threadcallAllocsTimer
	if t.stopped {
		threadcallAllocsAdd()
		t.stopped = false
		runtime.MemProfileRate = 1
	}
	b.StartTimer()
}

// threadcallAllocsAdd allocates nothing.
func threadcallAllocsAdd() {
	t := &threadcallAllocsTimer
	objects, bytes := threadcallAllocsCount()
	t.stoppedObjects += objects - t.fromObjects
	t.stoppedBytes += bytes - t.fromBytes
	if t.file == nil {
		return
	}
	text := t.text[:0]
	for _, n := range [2]uint64{t.stoppedObjects, t.stoppedBytes} {
		for unit := uint64(1e18); unit > 0; unit /= 10 {
			text = append(text, byte('0'+n/unit%10))
		}
		text = append(text, ' ')
	}
	t.file.WriteAt(text, 0)
}

func threadcallAllocsReset(b interface{ ResetTimer() }) {
	t := &threadcallAllocsTimer
	if t.resets < 16 && threadcallAllocsTimed() {
		t.resets++
		stopped := t.stopped
		t.fromObjects, t.fromBytes = threadcallAllocsCount()
		threadcallAllocsRate(0)
		t.stoppedObjects, t.stoppedBytes = 0, 0
		if err := threadcallAllocsBase(os.Getenv("` + variable + `")+"` + baseSuffix + `", time.Now()); err != nil {
			println("the profile before ResetTimer:", err.Error())
		}
		threadcallAllocsAdd()
		t.fromObjects, t.fromBytes = threadcallAllocsCount()
		if !stopped {
			runtime.MemProfileRate = 1
		}
	}
	b.ResetTimer()
}
`
)

var timerFunctions = map[string]string{
	"StopTimer": "threadcallAllocsStop", "StartTimer": "threadcallAllocsStart", "ResetTimer": "threadcallAllocsReset",
}

// replaceTimer returns the text of a test file with other functions in place of the methods of a benchmark's timer, and
// its package, or nil if it calls none.
func replaceTimer(file string, text []byte) (changed []byte, pkg string) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, ""
	}
	benchmarks := map[string]bool{} // names of parameters
	ast.Inspect(parsed, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		if star, ok := f.Type.(*ast.StarExpr); ok {
			if sel, ok := star.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "B" {
				for _, name := range f.Names {
					benchmarks[name.Name] = true
				}
			}
		}
		return true
	})
	var calls []*ast.CallExpr
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && timerFunctions[sel.Sel.Name] != "" && len(call.Args) == 0 {
			if x, ok := sel.X.(*ast.Ident); ok && benchmarks[x.Name] {
				calls = append(calls, call)
			}
		}
		return true
	})
	if len(calls) == 0 {
		return nil, ""
	}
	return replaceCalls(files, text, calls, func(c *ast.CallExpr) string {
		sel := c.Fun.(*ast.SelectorExpr)
		return timerFunctions[sel.Sel.Name] + "(" + sel.X.(*ast.Ident).Name + ")"
	}), parsed.Name.Name
}

// withoutStopped removes what was allocated before ResetTimer, and what the runtime has counted while the timer was
// stopped.
func withoutStopped(p *record.Profile, file string) error {
	base, err := record.ReadFile(file + baseSuffix)
	switch {
	case err == nil:
		subtract(p, base)
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	text, err := os.ReadFile(file + stoppedSuffix)
	if errors.Is(err, os.ErrNotExist) || len(text) == 0 {
		return nil
	}
	var objects, bytes uint64
	if _, err := fmt.Sscanf(string(text), "%d %d", &objects, &bytes); err != nil {
		return fmt.Errorf("what was allocated while the timer was stopped: %w", err)
	}
	p.Objects, p.Bytes = p.Objects-min(objects, p.Objects), p.Bytes-min(bytes, p.Bytes)
	return nil
}

func subtract(p, base *record.Profile) {
	key := func(p *record.Profile, r record.Record) string {
		text := fmt.Sprint(r.Bytes / max(r.Objects, 1))
		for _, at := range r.Stack {
			f := p.Frames[at]
			text += fmt.Sprintf(" %s:%s:%d", f.Function, f.File, f.Line)
		}
		return text
	}
	before := map[string]record.Record{}
	for _, r := range base.Records {
		k := key(base, r)
		sum := before[k]
		sum.Objects, sum.Bytes = sum.Objects+r.Objects, sum.Bytes+r.Bytes
		before[k] = sum
	}
	for i := range p.Records {
		r := &p.Records[i]
		k := key(p, *r)
		b := before[k]
		objects, bytes := min(b.Objects, r.Objects), min(b.Bytes, r.Bytes)
		r.Objects, r.Bytes = r.Objects-objects, r.Bytes-bytes
		b.Objects, b.Bytes = b.Objects-objects, b.Bytes-bytes
		before[k] = b
	}
	p.Objects, p.Bytes = p.Objects-min(p.Objects, base.Objects), p.Bytes-min(p.Bytes, base.Bytes)
}
