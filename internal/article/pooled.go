package article

// Pooled is Naive, but takes the channel for the end of a call from a pool.
func Pooled() Design { return &pooled{naive{closures: make(chan func())}} }

type pooled struct{ naive }

func (p *pooled) Call(f func()) bool {
	done := dones.Get().(chan error)
	defer dones.Put(done)
	p.closures <- func() { done <- run(f) }
	wait(done)
	return true
}
