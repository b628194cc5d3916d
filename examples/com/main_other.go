//go:build !windows

package main

import "log"

func main() { log.Fatal("com: only on Windows, or GOOS=windows and Wine") }
