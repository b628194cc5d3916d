package main

import (
	"github.com/threadcall/threadcall/internal/bench"
	"github.com/threadcall/threadcall/mainthread"
)

// A design is a way to show two windows.
type design struct {
	name  string             // on the command line
	title string             // in the table and in the picture
	run   func(*meter) error // on the main thread
}

var designs = []design{
	{"naive", "article's first", served(bench.Naive())},
	{"struct", "article's last", served(bench.Struct())},
	{"threadcall", "threadcall", onThreadcall},
	{"app", "package app", onApp},
}

func names() (all []string) {
	for _, d := range designs {
		all = append(all, d.name)
	}
	return all
}

// find returns nil if there is none of that name.
func find(name string) *design {
	for i := range designs {
		if designs[i].name == name {
			return &designs[i]
		}
	}
	return nil
}

// served shows the windows by the article's loop, and calls the main thread by d.
func served(d bench.Design) func(*meter) error {
	return func(m *meter) (err error) {
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			err = loopWindows(d, m)
		}()
		d.Serve(stop)
		return err
	}
}

// onThreadcall is served by threadcall instead of a channel.
func onThreadcall(m *meter) (err error) {
	mainthread.Init(func() { err = loopWindows(mainthread.Thread(), m) })
	return err
}

func onApp(m *meter) (err error) {
	mainthread.Init(func() { err = appWindows(m) })
	return err
}
