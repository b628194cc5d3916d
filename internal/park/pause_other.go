//go:build !amd64 && !386 && !arm64

package park

// Pause gives a spin loop a few cycles between two looks.
//
//go:noinline
func Pause() {}
