//go:build !windows && (!darwin || ios) && (!linux || android || !(amd64 || arm64 || riscv64))

package nativeloop

func turner() (turn func() (quit bool), err error) { return nil, ErrNoLoop }
