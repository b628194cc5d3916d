//go:build !darwin || ios

package nsgl

// A Context is nothing here.
type Context struct{}

// Guard returns nil.
func Guard() *Context { return nil }

// Update does nothing.
func (*Context) Update() {}

// Release does nothing.
func (*Context) Release() {}
