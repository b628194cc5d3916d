//go:build !linux || !(amd64 || arm64)

package main

import "log"

func main() { log.Fatal("gstreamer: this example is for Linux on amd64 and arm64") }
