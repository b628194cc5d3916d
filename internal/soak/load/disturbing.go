package load

import (
	"runtime"
	"sync"
	"time"
)

// These call nobody. They are what other parts of a program do meanwhile.
var disturbing = []kind{
	{"computing", "goroutines on every P that compute for 3 ms", 100 * msec, computing},
	{"garbage", "a megabyte of garbage in small pieces", 50 * msec, garbage},
}

func computing(*world) int {
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for start := time.Now(); time.Since(start) < 3*time.Millisecond; {
			}
		})
	}
	all.Wait()
	return 0
}

func garbage(*world) int {
	var last *[1 << 10]byte
	for range 1 << 10 {
		piece := new([1 << 10]byte)
		piece[0] = 1
		last = piece
	}
	runtime.KeepAlive(last)
	return 0
}
