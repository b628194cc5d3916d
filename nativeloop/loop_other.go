//go:build !windows && (!darwin || ios) && (!linux || android || faketime || !(amd64 || arm64 || loong64 || ppc64le || riscv64))

package nativeloop

func attach(serve func()) (loop, error) { return nil, ErrNoLoop }
