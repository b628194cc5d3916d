// SDL on the main thread, and goroutines that draw.
//
//	go -C examples/sdl run . -driver dummy
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/veandco/go-sdl2/sdl"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/mainthread"
)

func main() { mainthread.Init(run) }

func run() {
	driver := flag.String("driver", "", "`name` of SDL's video driver: x11, or dummy, which "+
		"needs no screen (default SDL chooses)")
	flag.Parse()
	if *driver != "" {
		os.Setenv("SDL_VIDEODRIVER", *driver)
	}
	right, err := draw()
	if err != nil {
		log.Fatal("sdl: ", err)
	}
	if !right {
		os.Exit(1)
	}
}

func draw() (right bool, err error) {
	var s *scene
	mainthread.Call(func() { s, err = open() })
	if err != nil {
		return false, err
	}
	defer mainthread.Call(s.close)
	name, err := sdl.GetCurrentVideoDriver()
	if err != nil {
		return false, err
	}

	right = check.Calls(fmt.Sprintf("sdl, %s, a rectangle", name),
		func() bool { return mainthread.CallV(s.rectangle) })
	for range 10 {
		right = s.frame() && right
	}
	return right, nil
}
