package freelist

import (
	"runtime"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
)

func TestAListDoesNotReferToWhatItHasGivenOut(t *testing.T) {
	var l List[[2]*byte] // small objects without pointers share memory
	l.Put(new([2]*byte))
	p := weak.Make(l.Get())
	testutil.Eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "it is collected")
	runtime.KeepAlive(&l)
}

func TestCollectionsDoNotShrinkWhatIsKeptForEver(t *testing.T) {
	for _, l := range []*List[object]{{}, {floor: 10}} {
		for range 10 {
			l.Put(new(object))
		}
		if l.armed.Load() {
			t.Errorf("the next collection shrinks a list of 10 that keeps %d", l.floor)
		}
	}
}
