package thread_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// texture has a size that the tiny allocator does not handle.
type texture struct {
	id int
	_  [4]*texture
}

// newTexture returns nothing: the texture that it makes is unreachable.
//
//go:noinline
func newTexture(th *thread.Thread, id int, free func(int)) thread.Cleanup {
	tex := &texture{id: id}
	return thread.AddCleanup(th, tex, free, tex.id)
}

func TestAddCleanup_freesOnTheThread(t *testing.T) {
	adopted := make(chan *thread.Thread)
	go func() {
		l := thread.Adopt()
		defer l.Close()
		adopted <- l.Thread()
		_ = l.ServeContext(t.Context())
	}()
	threads := map[string]*thread.Thread{"New": start(t), "Adopt": <-adopted}
	for name, th := range threads {
		t.Run(name, func(t *testing.T) {
			freed, kept := make(chan bool, 10), &texture{id: 7}
			never := thread.AddCleanup(th, kept, func(int) { t.Error("freed, which is reachable") }, 7)
			for i := range 10 {
				newTexture(th, i, func(id int) { freed <- th.On() && id == i })
			}
			for n := 0; n < 10; n++ {
				eventually(t, func() bool { runtime.GC(); return len(freed) > 0 }, "number %d", n)
				if !<-freed {
					t.Error("not on the thread, or with another argument")
				}
			}
			never.Stop()
			runtime.KeepAlive(kept)
		})
	}
}

// A thread that hangs, with a full queue, delays neither the collector nor the cleanups of others.
func TestAddCleanup_delaysNoOtherIfAThreadHangs(t *testing.T) {
	th, other := start(t, thread.WithQueueLimit(1)), start(t)
	busy := occupy(t, th.Go)
	th.TryGo(nop)
	var freed, others atomic.Int32
	for i := range 100 {
		newTexture(th, i, func(int) { freed.Add(1) })
		newTexture(other, i, func(int) { others.Add(1) })
	}
	eventually(t, func() bool { runtime.GC(); return others.Load() == 100 }, "the other's are freed")
	if n := freed.Load(); n != 0 {
		t.Errorf("%d freed by a thread that hangs", n)
	}
	busy.Open()
	eventually(t, func() bool { return freed.Load() == 100 }, "they are freed")
}

// What is left when a thread ends is freed there, the youngest first, and before the stop function.
func TestAddCleanup_freesTheRestWhenTheThreadEnds(t *testing.T) {
	for name, end := range map[string]func(th *thread.Thread){
		"Close":           (*thread.Thread).Close,
		"Terminate":       (*thread.Thread).Terminate,
		"Terminate on it": func(th *thread.Thread) { th.Call(th.Terminate) },
		"Goexit before":   func(th *thread.Thread) { th.Go(runtime.Goexit); th.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			var steps []string
			th := thread.New(thread.WithStop(func() { steps = append(steps, "stop") }))
			kept := [3]*texture{{}, {}, {}}
			for i, tex := range kept {
				thread.AddCleanup(th, tex, func(id int) {
					steps = append(steps, fmt.Sprint(id))
					if !th.On() || !th.Call(nop) {
						t.Error("not on the thread, or a call in place is refused")
					}
					runtime.Goexit()
				}, i)
			}
			end(th)
			testutil.Arrives(t, th.Done())
			if got, want := fmt.Sprint(steps), "[2 1 0 stop]"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			runtime.KeepAlive(&kept)
		})
	}
	th := start(t)
	th.Close()
	if newTexture(th, 1, func(int) { t.Error("freed after the end") }).Stop() {
		t.Error("Stop of a cleanup that was not added returned true")
	}
	for _, bad := range []func(){
		func() { thread.AddCleanup(th, (*texture)(nil), func(int) {}, 1) },
		func() { x := new(texture); thread.AddCleanup(th, x, func(*texture) {}, x) },
	} {
		mustPanic(t, bad, "AddCleanup")
	}
}

// The goroutine of an adopted thread frees what is left, whatever ends the thread.
func TestAddCleanup_freesTheRestOfAnAdoptedThread(t *testing.T) {
	elsewhere := func(f func()) { testutil.Ends(t, f) }
	for name, end := range map[string]func(l *thread.Loop, th *thread.Thread){
		"Close":     func(l *thread.Loop, _ *thread.Thread) { l.Close() },
		"Terminate": func(_ *thread.Loop, th *thread.Thread) { th.Terminate() },
		"Close while it serves": func(l *thread.Loop, th *thread.Thread) {
			go th.Close()
			_ = l.ServeContext(t.Context())
		},
		"Terminate while it serves": func(l *thread.Loop, th *thread.Thread) {
			th.Go(th.Terminate)
			l.Serve(0)
		},
		"Terminate elsewhere, Serve": func(l *thread.Loop, th *thread.Thread) {
			elsewhere(th.Terminate)
			l.Serve(0)
		},
		"Terminate elsewhere, Close": func(l *thread.Loop, th *thread.Thread) {
			elsewhere(th.Terminate)
			l.Close()
		},
		"Terminate elsewhere at the same time": func(_ *thread.Loop, th *thread.Thread) {
			ended := make(chan bool)
			go func() { th.Terminate(); close(ended) }()
			th.Terminate()
			<-ended
		},
		"in a function that serves": func(l *thread.Loop, th *thread.Thread) {
			th.Go(func() { th.Terminate(); l.Serve(0) })
			l.Serve(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			testutil.Ends(t, func() {
				steps, kept, panics := []int{}, [2]*texture{{}, {}}, 0
				l := thread.Adopt(thread.WithPanicHandler(func(*thread.PanicError) { panics++ }))
				th := l.Thread()
				for i, tex := range kept {
					thread.AddCleanup(th, tex, func(id int) {
						steps = append(steps, id)
						l.Serve(0)
						th.Terminate()
						if !th.On() || !th.Call(nop) {
							t.Error("not on the thread, or a call in place is refused")
						}
						select {
						case <-th.Done():
							if !strings.HasPrefix(name, "Terminate elsewhere") {
								t.Error("the thread has ended before it has freed everything")
							}
						default:
						}
						panic("the handler takes this")
					}, i)
				}
				end(l, th)
				if got, want := fmt.Sprint(steps), "[1 0]"; got != want || panics != 2 {
					t.Errorf("freed %s, want %s; the handler has taken %d panics, want 2", got, want, panics)
				}
				testutil.Arrives(t, th.Done())
				runtime.KeepAlive(&kept)
			})
		})
	}
}

// Everything is freed once, or stopped, whatever happens at the same moment.
func TestAddCleanup_freesOnceOrIsStopped(t *testing.T) {
	rnd := testutil.Seeded(t)
	for range 50 {
		const n = 64
		var freed, stopped [n]atomic.Int32
		th := thread.New()
		kept := make([]*texture, 0, n)
		all := make([]thread.Cleanup, n)
		for i := range n {
			free := func(i int) { freed[i].Add(1) }
			if i%2 == 0 {
				all[i] = newTexture(th, i, free)
				continue
			}
			kept = append(kept, &texture{id: i})
			all[i] = thread.AddCleanup(th, kept[i/2], free, i)
		}
		var ending testutil.Group
		ending.Go(runtime.GC)
		for _, end := range []func(){th.Close, th.Terminate} {
			if rnd.IntN(3) > 0 {
				ending.Go(end)
			}
		}
		from := rnd.IntN(n)
		ending.Go(func() {
			for i := range n / 2 {
				if i = (from + i) % n; all[i].Stop() {
					stopped[i].Add(1)
				}
			}
		})
		ending.Wait()
		th.Close()
		testutil.Arrives(t, th.Done())
		runtime.KeepAlive(kept)
		for i := range n {
			if f, s := freed[i].Load(), stopped[i].Load(); f+s != 1 {
				t.Fatalf("number %d was freed %d times and stopped %d times", i, f, s)
			}
		}
	}
}

// A thread that lives keeps nothing of a cleanup that has run or was stopped.
func TestAddCleanup_leavesNothing(t *testing.T) {
	th, tex := start(t), &texture{}
	refersTo := func() (weak.Pointer[texture], func(int)) {
		held := &texture{}
		return weak.Make(held), func(int) { held.id++ }
	}
	stopped, free := refersTo()
	c := thread.AddCleanup(th, tex, free, 1)
	if !c.Stop() || c.Stop() {
		t.Error("Stop does not report whether it has removed the cleanup")
	}
	ran, other := refersTo()
	newTexture(th, 1, other)
	free, other = nil, nil
	for name, handle := range map[string]weak.Pointer[texture]{"stopped": stopped, "run": ran} {
		eventually(t, func() bool { runtime.GC(); return handle.Value() == nil }, "%s", name)
	}
	runtime.KeepAlive(tex)
	runtime.KeepAlive(c)
}

// The argument may be a pointer of the same type, if it is another one.
func TestAddCleanup_takesAnotherPointer(t *testing.T) {
	th, freed := start(t), make(chan *texture, 1)
	other := &texture{id: 2}
	thread.AddCleanup(th, &texture{id: 1}, func(tex *texture) { freed <- tex }, other)
	if th.Close(); testutil.Arrives(t, freed) != other {
		t.Error("it was not given the argument")
	}
}

// A Thread that was dropped ends after it has freed everything, although what it stores refers to
// that, and is not kept until then.
func TestAddCleanup_keepsADroppedThreadUntilAllIsFreed(t *testing.T) {
	var freed atomic.Int32
	kept := &texture{id: 1}
	handle, done := func() (weak.Pointer[thread.Thread], <-chan struct{}) {
		th := thread.New()
		stored := &texture{id: 2}
		new(thread.Local[*texture]).Set(th, stored)
		for _, tex := range []*texture{kept, stored, {id: 3}} {
			thread.AddCleanup(th, tex, func(int) { freed.Add(1) }, tex.id)
		}
		th.Call(nop)
		return weak.Make(th), th.Done()
	}()
	collected(t, handle, "the Thread")
	eventually(t, func() bool { runtime.GC(); return freed.Load() == 2 }, "two are freed")
	select {
	case <-done:
		t.Error("the thread has ended before it has freed everything")
	default:
	}
	runtime.KeepAlive(kept)
	kept = nil
	eventually(t, func() bool { return collectedAndEnded(done) }, "the thread ends")
	testutil.Arrives(t, done)
	if n := freed.Load(); n != 3 {
		t.Errorf("%d of 3 are freed", n)
	}
}
