package thread

// A Local is a variable with a value for each [Thread]: a context, a cache, a connection that
// belongs to the thread. It is meant to be a package variable. The zero Local is ready to use. A
// Local must not be copied, because its address identifies it; go vet reports copies.
//
// Any goroutine may use a Local at any time. A value does not keep its Thread from being reclaimed.
type Local[T any] struct {
	_ noCopy
	_ byte // Each Local has an address of its own.
}

// A noCopy is part of what must not be copied. Package copylocks of go vet looks for its methods.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Get returns what Set has stored for t, or the zero value.
//
//threadcall:noalloc
func (l *Local[T]) Get(t *Thread) (v T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.locals[l].(*T); ok {
		v = *p
	}
	return v
}

// Set stores v for t, in place of what was stored before.
//
//threadcall:noalloc
func (l *Local[T]) Set(t *Thread, v T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.locals[l].(*T)
	if !ok {
		if t.locals == nil {
			t.locals = map[any]any{} //threadcall:alloc once for each Thread
		}
		p = new(T)      //threadcall:alloc once for each Thread
		t.locals[l] = p //threadcall:alloc and with it
	}
	*p = v
}
