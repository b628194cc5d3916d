package work

import "runtime"

// PingPong hands a value to another goroutine and takes it back, n times, over two channels without a buffer. The
// goroutines that are to be locked have a thread for themselves.
func PingPong(n int, lockPing, lockPong bool) {
	there, back := make(chan int), make(chan int)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer lock(lockPong)()
		for x := range there {
			back <- x
		}
	}()
	defer func() {
		close(there)
		<-ended
	}()
	defer lock(lockPing)()
	for i := range n {
		there <- i
		<-back
	}
}

func lock(really bool) (unlock func()) {
	if !really {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
