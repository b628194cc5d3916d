//go:build !linux || !(amd64 || arm64)

// CUDA's driver API on one thread. See main.go.
package main

import "fmt"

func main() { fmt.Println("cuda: only on Linux on amd64 and arm64: nothing was measured") }
