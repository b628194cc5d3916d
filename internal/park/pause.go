//go:build amd64 || 386 || arm64

package park

// Pause tells the processor that this is a spin loop, which spares its other hyper-thread and its
// memory bus.
func Pause()
