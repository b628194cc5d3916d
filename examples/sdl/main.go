// SDL on the main thread, and goroutines that draw: SDL 2 with cgo, SDL 3 without.
//
//	go -C examples/sdl run . -driver dummy
//	CGO_ENABLED=0 go -C examples/sdl run . -driver dummy
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/mainthread"
)

func main() { mainthread.Init(run) }

func run() {
	driver := flag.String("driver", "", "`name` of SDL's video driver: x11, or dummy, which "+
		"needs no screen (default SDL chooses)")
	stay := check.Window()
	if *driver != "" {
		os.Setenv("SDL_VIDEODRIVER", *driver)
	}
	right, err := draw(stay)
	if err != nil {
		log.Fatal("sdl: ", err)
	}
	if !right {
		os.Exit(1)
	}
}

const size = 256 // of the window and of the space for rectangles

func draw(stay func()) (right bool, err error) {
	var s *scene
	mainthread.Call(func() { s, err = open() })
	if err != nil {
		return false, err
	}
	defer mainthread.Call(s.close)

	// rectangle draws one from any goroutine.
	rectangle := func() bool {
		x, y, colour := rand.Int32N(size-16), rand.Int32N(size-16), rand.Uint32()|0xff
		return mainthread.MustEval(func() bool { return s.rectangle(x, y, colour) })
	}
	right = check.Calls(fmt.Sprintf("sdl %d, a rectangle", version), rectangle)
	for range 10 {
		for range 20 {
			right = rectangle() && right
		}
		mainthread.Call(s.present)
	}
	stay()
	return right, nil
}
