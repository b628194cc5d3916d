package main

import (
	"runtime/metrics"
	"unsafe"
)

// startingStack is the size of a new goroutine's stack, in bytes.
func startingStack() float64 {
	sample := []metrics.Sample{{Name: "/gc/stack/starting-size:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return none
	}
	return float64(sample[0].Value.Uint64())
}

// firstStack is that size before the first collection: each collection adapts it to the average stack.
var firstStack = startingStack()

// copied returns how often the stack of a new goroutine is at another address after calls that need n KiB of it.
func copied(n int) float64 {
	result := make(chan float64)
	go func() {
		var here byte
		before := uintptr(unsafe.Pointer(&here))
		_ = deep(n)
		if uintptr(unsafe.Pointer(&here)) != before {
			result <- 1
		} else {
			result <- 0
		}
	}()
	return <-result
}

// deep needs a KiB of stack for each call.
//
//go:noinline
func deep(n int) byte {
	var room [1024]byte
	if n > 0 {
		room[n%len(room)] = deep(n - 1)
	}
	return room[0] + room[len(room)-1]
}
