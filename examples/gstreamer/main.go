//go:build linux && (amd64 || arm64)

// Pipelines of GStreamer whose messages come to a watch on a thread with a GLib loop of its own,
// without cgo.
//
//	go -C examples/gstreamer run .
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"

	"github.com/ebitengine/purego"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

// What the program calls of GStreamer, which is loaded at run time.
var gst struct {
	init     func(argc, argv uintptr, err *uintptr) bool
	parse    func(pipeline string, err *uintptr) (element uintptr)
	bus      func(element uintptr) (bus uintptr)
	watch    func(bus, callback, data uintptr) (id uint32)
	unwatch  func(bus uintptr) bool
	setState func(element uintptr, state int32) int32
	unref    func(object uintptr)
}

func load() error {
	library, err := purego.Dlopen("libgstreamer-1.0.so.0", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return err
	}
	for name, f := range map[string]any{
		"gst_init_check":        &gst.init,
		"gst_parse_launch":      &gst.parse,
		"gst_element_get_bus":   &gst.bus,
		"gst_bus_add_watch":     &gst.watch,
		"gst_bus_remove_watch":  &gst.unwatch,
		"gst_element_set_state": &gst.setState,
		"gst_object_unref":      &gst.unref,
	} {
		purego.RegisterLibFunc(f, library, name)
	}
	if !gst.init(0, 0, nil) {
		return errors.New("GStreamer cannot be initialised")
	}
	return nil
}

const null, playing = 1, 4 // states of an element

// players is the thread of the watches. A watch belongs to the loop of the thread that adds it.
var players *thread.Thread

func main() {
	log.SetPrefix("gstreamer: ")
	log.SetFlags(0)
	var err error
	players, err = nativeloop.Start(thread.WithName("players"), thread.WithStart(load))
	if err != nil {
		log.Fatal(err)
	}
	ok := check.Calls("gstreamer", func() bool { return play(10) == nil })
	players.Close()
	if !ok {
		os.Exit(1)
	}
}

// play plays n buffers. It may be called from any goroutine.
func play(n int) error {
	p := player{ended: make(chan error, 1)}
	if err := thread.MustEval(players, func() error { return p.start(n) }); err != nil {
		return err
	}
	err := <-p.ended
	players.MustCall(p.stop)
	return err
}

// A player is a pipeline. Its methods are for the thread players.
type player struct {
	pipeline, bus, key uintptr
	ended              chan error
}

func (p *player) start(n int) error {
	description := fmt.Sprintf("fakesrc num-buffers=%d ! fakesink", n)
	if p.pipeline = gst.parse(description, nil); p.pipeline == 0 {
		return errors.New("no such pipeline: " + description)
	}
	p.bus, p.key = gst.bus(p.pipeline), lastKey.Add(1)
	byKey.Store(p.key, p)
	gst.watch(p.bus, onMessage, p.key)
	gst.setState(p.pipeline, playing)
	return nil
}

func (p *player) stop() {
	gst.setState(p.pipeline, null)
	gst.unwatch(p.bus)
	gst.unref(p.bus)
	gst.unref(p.pipeline)
	byKey.Delete(p.key)
}

// The data of a watch is a key, because C must not keep pointers of Go.
var (
	byKey   sync.Map
	lastKey atomic.Uintptr
)

// onMessage is called by the loop for each message of a bus.
var onMessage = purego.NewCallback(func(_ uintptr, message *message, key uintptr) uintptr {
	players.Assert()
	const endOfStream, failed = 1, 2
	if p, ok := byKey.Load(key); ok {
		switch p := p.(*player); message.kind {
		case endOfStream:
			p.ended <- nil
		case failed:
			p.ended <- errors.New("the pipeline has failed")
		}
	}
	return 1 // keep the watch
})

// A message is the beginning of a GstMessage.
type message struct {
	_    [64]byte // the GstMiniObject
	kind uint32
}
