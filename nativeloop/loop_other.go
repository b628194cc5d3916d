//go:build !windows

package nativeloop

func attach(serve func(rest func())) (loop, error) { return nil, ErrNoLoop }
