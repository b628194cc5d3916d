package allocs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/internal/record"
)

// While the timer of a benchmark is stopped, nothing is in the profile, as it is not in the figures of -benchmem: the test
// files' calls of StopTimer, StartTimer and ResetTimer also set the rate. What was allocated before ResetTimer is in a
// profile of its own, the base.
const (
	baseSuffix    = ".base"
	stoppedSuffix = ".stopped" // objects and bytes since the base that were allocated while the timer was stopped; and all until it was stopped, if it is

	timer = `
var threadcallAllocsTimer struct {
	stopped                      bool
	fromObjects, fromBytes       uint64
	stoppedObjects, stoppedBytes uint64
	resets                       int
	file                         *os.File
	text                         [96]byte
	b                            *testing.B // of the run
	n                            int
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

// A benchmark that stops the timer at its end begins its next run with the timer running.
func threadcallAllocsBegin(b *testing.B) {
	t := &threadcallAllocsTimer
	if t.b == b && t.n == b.N {
		return
	}
	t.b, t.n = b, b.N
	if t.stopped {
		threadcallAllocsAdd()
		t.stopped = false
		runtime.MemProfileRate = 1
	}
}

func threadcallAllocsStop(b interface{ StopTimer() }) {
	b.StopTimer()
	t := &threadcallAllocsTimer
	if !t.stopped && threadcallAllocsTimed() {
		t.stopped = true
		t.fromObjects, t.fromBytes = threadcallAllocsCount()
		threadcallAllocsNote()
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

// threadcallAllocsAdd adds what was allocated since the timer was stopped. It allocates nothing.
func threadcallAllocsAdd() {
	t := &threadcallAllocsTimer
	objects, bytes := threadcallAllocsCount()
	t.stoppedObjects += objects - t.fromObjects
	t.stoppedBytes += bytes - t.fromBytes
	t.fromObjects, t.fromBytes = 0, 0
	threadcallAllocsNote()
}

func threadcallAllocsNote() {
	t := &threadcallAllocsTimer
	text := t.text[:0]
	for _, n := range [4]uint64{t.stoppedObjects, t.stoppedBytes, t.fromObjects, t.fromBytes} {
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
		if stopped {
			t.fromObjects, t.fromBytes = threadcallAllocsCount()
			threadcallAllocsNote()
		} else {
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
		for _, name := range ofBenchmark(f) {
			benchmarks[name] = true
		}
		return true
	})
	var calls []*ast.CallExpr
	var begins []overlay.Edit
	begin := func(f *ast.FuncType, body *ast.BlockStmt) {
		for _, field := range f.Params.List {
			for _, name := range ofBenchmark(field) {
				if at := files.Position(body.Lbrace).Offset + 1; name != "_" {
					begins = append(begins, overlay.Edit{From: at, To: at, Text: " threadcallAllocsBegin(" + name + ");"})
				}
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch f := n.(type) {
		case *ast.FuncDecl:
			if f.Body != nil {
				begin(f.Type, f.Body)
			}
		case *ast.FuncLit:
			begin(f.Type, f.Body)
		}
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
	edits := append(begins, callEdits(files, text, calls, func(c *ast.CallExpr) string {
		sel := c.Fun.(*ast.SelectorExpr)
		return timerFunctions[sel.Sel.Name] + "(" + sel.X.(*ast.Ident).Name + ")"
	})...)
	return overlay.Apply(text, edits), parsed.Name.Name
}

// ofBenchmark returns the names of parameters that are a *testing.B.
func ofBenchmark(f *ast.Field) (names []string) {
	star, ok := f.Type.(*ast.StarExpr)
	if !ok {
		return nil
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "B" {
		return nil
	}
	if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "testing" {
		return nil
	}
	for _, name := range f.Names {
		names = append(names, name.Name)
	}
	return names
}

// withoutStopped removes what was allocated before ResetTimer, and what the runtime has counted while the timer was
// stopped.
func withoutStopped(p *record.Profile, file string) error {
	text, err := os.ReadFile(file + stoppedSuffix)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var objects, bytes, fromObjects, fromBytes uint64
	if len(text) > 0 {
		if _, err := fmt.Sscanf(string(text), "%d %d %d %d", &objects, &bytes, &fromObjects, &fromBytes); err != nil {
			return fmt.Errorf("what was allocated while the timer was stopped: %w", err)
		}
	}
	if fromObjects > 0 { // stopped at the end
		p.Objects, p.Bytes = fromObjects, fromBytes
	}
	base, err := record.ReadFile(file + baseSuffix)
	switch {
	case err == nil:
		subtract(p, base)
	case !errors.Is(err, os.ErrNotExist):
		return err
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
