// Package mainthread has the functions of the real one, for the tests of the analyzer.
package mainthread

import (
	"context"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func Init(fn func())                                      {}
func Call(f func()) bool                                  { return true }
func CallContext(ctx context.Context, f func()) error     { return nil }
func CallV[T any](f func() T) (v T)                       { return }
func Go(f func()) bool                                    { return true }
func GoContext(ctx context.Context, f func()) bool        { return true }
func On() bool                                            { return true }
func Assert()                                             {}
func OnSlowCall(d time.Duration, f func(thread.SlowCall)) {}
func OnWake(wake func())                                  {}
func Serve() int                                          { return 0 }
func ServeFor(d time.Duration) int                        { return 0 }
func Thread() *thread.Thread                              { return nil }
func Coalesce(f func()) func() bool                       { return nil }
func After(d time.Duration, f func()) *thread.Timer       { return nil }
