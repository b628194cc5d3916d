// Package thread has the functions of the real one, for the tests of the analyzer.
package thread

import (
	"context"
	"time"
)

type (
	Thread   struct{ _ int }
	Pool     struct{ _ int }
	Option   func()
	SlowCall struct{}
	Timer    struct{}
	Caller   interface {
		CallContext(ctx context.Context, f func()) error
	}
)

func New(opts ...Option) *Thread            { return nil }
func Start(opts ...Option) (*Thread, error) { return nil, nil }
func Adopt(opts ...Option) *Thread          { return nil }
func NewPool(n int, opts ...Option) *Pool   { return nil }
func WithName(name string) Option           { return nil }
func WithStart(f func() error) Option       { return nil }
func WithStop(f func()) Option              { return nil }

func (t *Thread) Call(f func()) bool                              { return true }
func (t *Thread) CallContext(ctx context.Context, f func()) error { return nil }
func (t *Thread) Go(f func()) bool                                { return true }
func (t *Thread) TryGo(f func()) bool                             { return true }
func (t *Thread) GoContext(ctx context.Context, f func()) bool    { return true }
func (t *Thread) Coalesce(f func()) func() bool                   { return nil }
func (t *Thread) After(d time.Duration, f func()) *Timer          { return nil }
func (t *Thread) Every(d time.Duration, f func()) *Timer          { return nil }
func (t *Thread) On() bool                                        { return true }
func (t *Thread) Assert()                                         {}
func (t *Thread) Serve() int                                      { return 0 }
func (t *Thread) Terminate()                                      {}

func (p *Pool) Call(f func()) bool { return true }
func (p *Pool) Go(f func()) bool   { return true }

func Eval[T any](t *Thread, f func() T) (v T)                                       { return }
func EvalContext[T any](ctx context.Context, c Caller, f func() T) (v T, err error) { return }
func Bind1[A any](t *Thread, f func(A)) func(A)                                     { return f }
func Bind1V[A, R any](t *Thread, f func(A) R) func(A) R                             { return f }
func Coalesce1[A any](t *Thread, f func(A)) (post func(A) bool)                     { return nil }
