package bench

import (
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// Assert on the thread, next to a plain indirect call.
func BenchmarkAssert(b *testing.B) {
	t := thread.New()
	defer t.Terminate()
	for _, s := range []struct {
		name string
		f    func()
	}{{"thread", t.Assert}, {"plain", nop}} {
		b.Run(named(s.name), func(b *testing.B) {
			b.ReportAllocs()
			t.Call(func() { report(b, indirect(Extent{N: b.N}, s.f)) })
		})
	}
}
