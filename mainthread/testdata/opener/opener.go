// Package opener opens a plugin for a program.
package opener

import (
	"log"
	"os"
	"plugin"
	"runtime"
)

func init() { runtime.LockOSThread() } // the main goroutine stays on the main thread

// Main opens the plugin that the first argument names, on the main goroutine or on another.
func Main() {
	if os.Args[2] == "main" {
		open()
		return
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		open()
	}()
	<-ended
}

func open() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	report, err := p.Lookup("Report")
	if err != nil {
		log.Fatal(err)
	}
	report.(func())()
}
