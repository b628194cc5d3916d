// SDL on the main thread, and goroutines that draw.
//
//	go -C examples/sdl run . -driver dummy
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"github.com/veandco/go-sdl2/sdl"

	"github.com/threadcall/threadcall/examples/internal/meter"
	"github.com/threadcall/threadcall/mainthread"
)

func main() { mainthread.Init(run) }

func run() {
	driver := flag.String("driver", "", "`name` of SDL's video driver: x11, or dummy, which needs no screen (default SDL chooses)")
	flag.Parse()
	if *driver != "" {
		os.Setenv("SDL_VIDEODRIVER", *driver)
	}
	right, err := compare()
	if err != nil {
		log.Fatal("sdl: ", err)
	}
	if !right {
		os.Exit(1)
	}
}

func compare() (right bool, err error) {
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

	// Both have the main thread to themselves: sdl.Main serves inside a call, and mainthread does not serve meanwhile.
	sdlMain := func(measure func()) { mainthread.Call(func() { sdl.Main(measure) }) }
	rectangle := func(do func(f func())) func() bool {
		return func() (right bool) {
			do(func() { right = s.rectangle() })
			return right
		}
	}
	rectangles := meter.Compare(fmt.Sprintf("sdl, %s, a rectangle", name), meter.Loads,
		meter.Way{Name: "sdl.Do", Call: rectangle(sdl.Do), Around: sdlMain},
		meter.Way{Name: "mainthread.Call", Call: rectangle(call)},
	)
	frames := meter.Compare(fmt.Sprintf("sdl, %s, a frame of 22 calls", name), frameLoads,
		meter.Way{Name: "sdl.Do", Call: func() bool { return s.frame(sdl.Do) }, Around: sdlMain},
		meter.Way{Name: "mainthread.Call", Call: func() bool { return s.frame(call) }},
	)
	return rectangles && frames, nil
}

func call(f func()) { mainthread.Call(f) }

var frameLoads = []meter.Load{
	{Name: "a frame every 16 ms", Callers: 1, Pause: 16 * time.Millisecond},
	{Name: fmt.Sprintf("a frame every 16 ms, %d goroutines compute", runtime.NumCPU()),
		Callers: 1, Pause: 16 * time.Millisecond, Computing: runtime.NumCPU()},
}
