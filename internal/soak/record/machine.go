// Package record names the machine that a record was taken on.
package record

import (
	"fmt"
	"runtime"
	"strings"
)

// Machine says in a few words what the record was taken on.
func Machine() string {
	processor, kernel := machine()
	words := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	if processor != "" {
		words[0] += " (" + processor + ")"
	}
	if kernel != "" {
		words = append(words, kernel)
	}
	return strings.Join(append(words, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH), ", ")
}
