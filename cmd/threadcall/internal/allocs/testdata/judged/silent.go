package judged

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// The functions in this file do not allocate, for any arguments.

var (
	counts  = map[int]int{1: 1}
	room    = make([]byte, 0, 1<<10)
	mutex   sync.Mutex
	counter atomic.Int64
	queue   = make(chan int, 1)
	pool    = sync.Pool{New: func() any { return new(large) }}
)

//threadcall:noalloc
func boxByte(b byte) { anything = b }

//threadcall:noalloc
func boxConstant() { anything = "constant" }

//threadcall:noalloc
func appendRoom(p []byte) { room = append(room[:0], p...) }

//threadcall:noalloc
func assign(k int) { counts[k]++ }

//threadcall:noalloc
func rangeBytes(s string) (n int) {
	for _, b := range []byte(s) {
		n += int(b)
	}
	return n
}

//threadcall:noalloc
func takeAndGive() byte {
	v := pool.Get().(*large)
	defer pool.Put(v)
	return v.bytes[0]
}

//threadcall:noalloc
func checked(n int) int {
	if n < 0 {
		panic(fmt.Sprintf("negative: %d", n))
	}
	return n
}

//threadcall:noalloc
func fixed(n int) int { s := make([]int, 100); s[n] = 1; return sum(s) }

//threadcall:noalloc
func captureNothing() { function = func() { counter.Add(1) } }

//threadcall:noalloc
func calls(f func()) { f() }

type sink interface{ put(int) }

type adder struct{ sum int }

func (a *adder) put(n int) { a.sum += n }

// emit does not allocate itself. Another sink may.
//
//threadcall:noalloc
func emit(s sink) { s.put(3) }

//threadcall:noalloc
func locked() {
	mutex.Lock()
	defer mutex.Unlock()
	counts[1]++
}

//threadcall:noalloc
func sendAndReceive(n int) int { queue <- n; return <-queue }

//threadcall:noalloc
func excused(n int) {
	if number == nil {
		number = new(int32) //threadcall:alloc the first time
	}
	//threadcall:alloc for the test
	anything = n
}

// unused is not called.
//
//threadcall:noalloc
func unused() {}
