// Command ccallback calls threads from Go functions that C functions call.
package main

// extern void callback(void);
// static void callGo(void) { callback(); }
import "C"

import (
	"fmt"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/thread"
)

var callee func()

//export callback
func callback() { callee() }

// throughC runs f as a callback from C.
func throughC(f func()) {
	outer := callee
	defer func() { callee = outer }()
	callee = f
	C.callGo()
}

func main() {
	a, b := thread.New(), thread.New()

	a.Call(func() {
		its := ident.Thread()
		throughC(func() {
			a.Go(func() { fmt.Println("posted") })
			on := false
			ok := a.Call(func() { on = ident.Thread() == its })
			fmt.Println("nested:", ok, on, a.On())
		})
	})
	a.Call(func() {}) // behind what was posted

	a.Call(func() {
		throughC(func() {
			b.Call(func() {
				throughC(func() {
					fmt.Println("cycle:", a.Call(func() { throughC(func() { b.Call(func() {}) }) }))
				})
			})
		})
	})

	func() {
		defer func() { fmt.Println("panic:", recover()) }()
		throughC(func() { a.Call(func() { throughC(func() { panic("boom") }) }) })
	}()

	fmt.Println("lives on:", a.Call(func() {}))
}
