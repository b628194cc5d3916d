//go:build !windows

// A COM object that lives in the apartment of one thread, and goroutines that call it.
//
//	go -C examples/com run .                     on Windows; with Wine: go test -run com -v
package main

import "log"

func main() { log.Fatal("com: only on Windows, or GOOS=windows and Wine") }
