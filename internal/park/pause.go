//go:build amd64 || 386 || arm64

package park

// Pause tells the processor that this is a spin loop, for its other hyper-thread and memory bus.
func Pause()
