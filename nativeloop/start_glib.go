//go:build linux && !android && (amd64 || arm64 || riscv64)

package nativeloop

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// newOwnLoop makes a context for the thread.
func newOwnLoop(serve func(rest func())) (own ownLoop, err error) {
	library, err := purego.Dlopen(glibName, purego.RTLD_NOW)
	if err != nil {
		return own, fmt.Errorf("%w; %w", ErrNoLoop, err)
	}
	var create, push, pop, unref cFunction
	if err := find(library, map[string]*cFunction{
		"g_main_context_new":                 &create,
		"g_main_context_push_thread_default": &push,
		"g_main_context_pop_thread_default":  &pop,
		"g_main_context_unref":               &unref,
	}); err != nil {
		return own, err
	}
	context := create.call()
	push.call(context)
	own.leave = func() {
		pop.call(context)
		unref.call(context)
	}
	if own.native, err = attach(serve); err == nil {
		own.turn, err = own.turner()
	}
	if err != nil {
		own.leave()
	}
	return own, err
}
