package engine

// Queued returns how many functions are queued, and does not count any.
//
//threadcall:noalloc
func (e *Engine) Queued() int { return e.q.Len() }

// Queued returns how many functions are queued for any of the threads.
//
//threadcall:noalloc
func (p *Pool) Queued() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.backlog.Len
}
