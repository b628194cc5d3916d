//go:build !linux

package main

import "errors"

func setRealtime(int) error { return errors.New("-realtime: only on Linux") }
