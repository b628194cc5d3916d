package p

var (
	sink any
	list []any
)

func inner() *[4]int        { return &[4]int{} }
func outer() *[4]int        { return inner() }
func through(n int) *int    { p := &n; q := p; return q }
func generic[X any](x X) *X { return &x }
func instance()             { sink = generic(1) }
func joined(s string)       { sink = s + " = " + s }
func stored(n int)          { list[0] = &n }
func passed()               { stored(1) }
