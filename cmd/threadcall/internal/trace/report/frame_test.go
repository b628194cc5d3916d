package report

import (
	"slices"
	"testing"
)

func TestFramesOfThreadcallAreItsOwn(t *testing.T) {
	const at = "github.com/threadcall/threadcall/"
	for function, own := range map[string]bool{
		"runtime/trace.NewTask":                                true,
		at + "internal/engine.(*Engine).Call":                  true,
		at + "thread.(*Thread).Call":                           true,
		at + "thread.Eval[...]":                                true,
		at + "mainthread.CallV[go.shape.struct { x/y.Z int }]": true,
		at + "thread_test.TestCall":                            false,
		at + "threads.Call":                                    false,
		at + "app.(*Window).Run":                               false,
		"example.com/thread.Call":                              false,
		"":                                                     false,
	} {
		if (Frame{Func: function}).Own() != own {
			t.Errorf("%s: own is %v", function, !own)
		}
	}
}

func TestStacksAreThoseOfTheProgram(t *testing.T) {
	const engine = "github.com/threadcall/threadcall/internal/engine.(*Engine)."
	stack := func(names ...string) (frames []Frame) {
		for _, n := range names {
			frames = append(frames, Frame{Func: n})
		}
		return frames
	}
	caller := func(names ...string) []Frame { return Call{From: stack(names...)}.Caller() }
	function := func(names ...string) []Frame { return Call{On: stack(names...)}.Function() }
	for _, c := range []struct{ got, want []Frame }{
		{caller("runtime/trace.NewTask", engine+"Call", "main.f", "main.main"), stack("main.f", "main.main")},
		{caller("main.f"), stack("main.f")},
		{caller(engine + "Call"), stack(engine + "Call")},
		{function("time.Sleep", "main.g", "runtime/trace.WithRegion", engine+"run", "main.main"), stack("time.Sleep", "main.g")},
		{function(engine + "run"), stack(engine + "run")},
		{function(), nil},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}
