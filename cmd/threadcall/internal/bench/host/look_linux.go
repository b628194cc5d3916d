package host

import (
	"context"
	"time"
)

// A view is the machine as it was seen for a while.
type view struct {
	Machine
	before, after sample
	earlier       map[int]task
	later         map[int]task
	Disturbance
}

func (m Machine) look(ctx context.Context) []Finding {
	v := view{Machine: m, earlier: m.tasks(), before: m.sample()}
	if m.pause != nil {
		m.pause()
	} else {
		while := m.While
		if while == 0 {
			while = time.Second
		}
		select {
		case <-ctx.Done():
		case <-time.After(while):
		}
	}
	v.after, v.later = m.sample(), m.tasks()
	v.Disturbance = v.before.until(v.after)
	var all []Finding
	for _, look := range []func(view) []Finding{
		view.room, view.pinning, view.cores, view.siblings,
		view.governor, view.turbo, view.frequency,
		view.others, view.benchmarks, view.stealing, view.waiting,
		view.limits, view.heat, view.virtual, view.power, view.memory, view.clock,
	} {
		all = append(all, look(v)...)
	}
	return all
}

func one(level Level, name, value, meaning string) []Finding {
	return []Finding{{name, value, meaning, level}}
}

// settings returns what should not change during a run.
func (m Machine) settings() map[string]string {
	v := view{Machine: m}
	all := map[string]string{}
	for _, look := range []func(view) []Finding{view.governor, view.turbo, view.power} {
		for _, f := range look(v) {
			all[f.Name] = f.Value
		}
	}
	return all
}
