//go:build !darwin || ios

package nsgl

type Context struct{}

func Guard() *Context     { return nil }
func (*Context) Update()  {}
func (*Context) Release() {}
