//go:build !windows && (!darwin || ios) && (!linux || android || !(amd64 || arm64 || riscv64))

package nativeloop

func newOwnLoop(func(rest func())) (own ownLoop, err error) { return own, ErrNoLoop }
