//go:build !windows && (!darwin || ios) && (!linux || android || !(amd64 || arm64 || riscv64))

package nativeloop

func attach(serve func(rest func())) (native, error) { return nil, ErrNoLoop }

func newOwnLoop(func(rest func())) (native, func() error, error) { return nil, nil, ErrNoLoop }
