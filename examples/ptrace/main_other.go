//go:build !linux || !(amd64 || arm64)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "ptrace: this example needs Linux on amd64 or arm64")
	os.Exit(1)
}
