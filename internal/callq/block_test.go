package callq

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

// runAll runs what is queued, and returns how many functions that were.
func (q *Queue) runAll() (n int) {
	for c := q.Take(); c != nil; c = q.Take() {
		c.PostRun()()
		n++
	}
	return n
}

// Posts share a record until it is full, another call is queued, or the thread takes it.
func TestQueue_Post_sharesABlock(t *testing.T) {
	q := New()
	var ran []int
	post := func(i int) *Call {
		t.Helper()
		wake, ok := q.Post(func() { ran = append(ran, i) })
		if !ok || wake != (i == 0) {
			t.Fatalf("post %d: wake %v, ok %v", i, wake, ok)
		}
		return q.head.Load()
	}
	first := post(0)
	for i := 1; i < blockOf; i++ {
		if post(i) != first {
			t.Fatalf("post %d is in a record of its own", i)
		}
	}
	second := post(blockOf)
	q.Push(q.Get(Posted, func() { ran = append(ran, blockOf+1) }, 1))
	third := post(blockOf + 2)
	if second == first || third == second {
		t.Error("a post is before one that came earlier")
	}
	if n := q.Len(); n != blockOf+3 {
		t.Errorf("%d are queued, want %d", n, blockOf+3)
	}
	q.Take().PostRun()()
	if n := q.Len(); n != blockOf+2 || !q.Pending() || q.Rest() {
		t.Errorf("%d are queued after the first, want %d", n, blockOf+2)
	}
	if q.addTo(first, func() {}) || q.addTo(third, func() {}) {
		t.Error("a block that the thread has taken takes posts")
	}
	q.runAll()
	if !slices.IsSorted(ran) || len(ran) != blockOf+3 {
		t.Errorf("ran %v", ran)
	}
	if q.Pending() || q.Len() != 0 {
		t.Error("something is left")
	}
}

// A poster that has a place when the thread takes the block goes elsewhere, and keeps the record
// until then.
func TestQueue_Post_whileTheThreadTakes(t *testing.T) {
	for _, first := range []bool{true, false} {
		q := New()
		q.blockTaken.Store(!first)
		q.Post(func() {})
		c := q.head.Load()
		if (c == &q.firstBlock) != first {
			t.Fatalf("the first block is used: %v, want %v", !first, first)
		}
		c.posts.Add(place) // what a poster does first
		if n := q.runAll(); n != 1 {
			t.Errorf("%d functions ran, want 1", n)
		}
		if q.freeBlocks(c) > 0 {
			t.Error("the record is used again while the poster has a place in it")
		}
		if c.leave(); q.freeBlocks(c) != 1 { // what the poster does last
			t.Error("the record is not used again after that")
		}
	}
}

// freeBlocks takes all free blocks from the list and returns how often c is one, or the first.
func (q *Queue) freeBlocks(c *Call) (n int) {
	if c == &q.firstBlock && !q.blockTaken.Load() {
		n++
	}
	for r := q.blocks.Get(); r != nil; r = q.blocks.Get() {
		if r == c {
			n++
		}
	}
	return n
}

// Close refuses what is left of a block, and lets go of it.
func TestQueue_Post_closed(t *testing.T) {
	for _, taken := range []int{0, 1} {
		q := New()
		for range 3 {
			q.Post(func() {})
		}
		c := q.head.Load()
		for range taken {
			q.Take().PostRun()
		}
		q.Close() // also while the thread is about to take from c
		if q.Take() != nil || q.takePart(c) != nil || !c.fns.empty() || q.Len() != 0 {
			t.Errorf("after %d: a function is left", taken)
		}
		q.Post(func() {}) // may make records
		made := q.made.Load()
		for range 2 * slabSize {
			if _, ok := q.Post(func() {}); ok {
				t.Fatal("a post to a closed queue")
			}
		}
		if q.made.Load() != made {
			t.Error("a refused post keeps a record")
		}
		for r := q.blocks.Get(); r != nil; r = q.blocks.Get() {
			if !r.fns.empty() {
				t.Error("a refused post keeps its function")
			}
		}
	}
}

// Close may come while the thread has a block in hand.
func TestQueue_Post_closedInHand(t *testing.T) {
	q, told := New(), new(refusals)
	q.Owner = told
	for range 3 {
		q.Post(func() {})
	}
	c, _ := q.grab()
	if q.Close(); q.begin(c) != c || c.Fn == nil {
		t.Error("the function that the thread has begun to take is not given out")
	}
	if *told != 2 || !c.fns.empty() || q.Take() != nil {
		t.Errorf("told of %d, want 2, or a function is left", *told)
	}
}

// What is behind the call that the thread takes is refused if Close comes between.
func TestQueue_Take_closedInHand(t *testing.T) {
	q, told := New(), new(refusals)
	q.Owner = told
	for range 3 {
		q.mustPush(t, Posted, 1)
	}
	list, last := q.grab()
	_, others := pop(list)
	q.Close()
	if q.restore(others, last); *told != 2 || q.Take() != nil {
		t.Errorf("told of %d, want 2, or a call is left", *told)
	}
}

// A second flood uses the records of the first.
func TestQueue_Post_keepsItsRecords(t *testing.T) {
	if testutil.Collecting {
		t.Skip("the collector allocates")
	}
	q := New()
	flood := func() {
		for range 20_000 {
			q.Post(func() {})
		}
		q.runAll()
	}
	flood()
	if n := testing.AllocsPerRun(3, flood); n > 10 {
		t.Errorf("%v allocations for the posts of a second flood", n)
	}
}

func (b *block) empty() bool {
	return !slices.ContainsFunc(b[:], func(f func()) bool { return f != nil })
}

// Posters that come while the thread takes blocks do not cost it their records.
func TestQueue_Post_losesNoRecords(t *testing.T) {
	const posts, most = 2_000_000, 1000 // at once; a free list has an end
	q := New()
	for range 4 * most {
		q.Post(func() {})
	}
	q.runAll() // the free list has grown: one that grows while it is in use drops records
	var ran atomic.Int64
	var poster testutil.Group
	poster.Go(func() {
		for i := range int64(posts) {
			for i-ran.Load() > most {
				runtime.Gosched()
			}
			q.Post(func() {})
		}
	})
	for ran.Load() < posts {
		n := q.runAll()
		if ran.Add(int64(n)); n == 0 {
			runtime.Gosched()
		}
	}
	poster.Wait()
	free, made := 0, q.made.Load()
	for q.blocks.Get() != nil {
		free++
	}
	if lost := int(made) - free; lost > 10+int(made)/10 { // a list that is in use may drop one
		t.Errorf("%d of %d records are lost", lost, made)
	}
}

// A post that has a place when the thread takes the block leaves nothing there: the record would
// keep it until it is used again.
func TestQueue_Post_leavesNothingBehind(t *testing.T) {
	rounds, posts := int64(20_000), 64
	if testutil.Race {
		rounds /= 50
	}
	q := New()
	left := 0
	var begun, ended atomic.Int64
	var poster testutil.Group
	poster.Go(func() {
		for i := range rounds {
			for begun.Load() == i {
				runtime.Gosched()
			}
			for range posts {
				q.Post(nothing)
			}
			ended.Add(1)
		}
	})
	for i := range rounds {
		begun.Add(1)
		for ended.Load() == i {
			if q.runAll() == 0 {
				runtime.Gosched()
			}
		}
		q.runAll()
		var all []*Call
		for c := q.blocks.Get(); c != nil; c = q.blocks.Get() {
			all = append(all, c)
		}
		for _, c := range all {
			if !c.fns.empty() {
				left++
				c.fns = block{}
			}
			q.blocks.Put(c)
		}
	}
	if poster.Wait(); left > 0 {
		t.Errorf("%d times, a record that was free had a function", left)
	}
}

func nothing() {}
