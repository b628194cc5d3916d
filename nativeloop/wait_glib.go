//go:build linux && !android && (amd64 || arm64 || riscv64)

package nativeloop

import (
	"sync"

	"github.com/ebitengine/purego"
)

var iteration = sync.OnceValues(func() (f cFunction, err error) {
	library, err := purego.Dlopen(glibName, purego.RTLD_NOW|noLoad)
	if err == nil {
		err = find(library, map[string]*cFunction{"g_main_context_iteration": &f})
	}
	return f, err
})

// turner returns what waits for events and handles them.
func turner() (turn func() (quit bool), err error) {
	iterate, err := iteration()
	return func() bool {
		const mayBlock = 1
		iterate.call(glib.threadDefault.call(), mayBlock) // zero is the default context
		return false
	}, err
}
