package demo

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
)

// A Report is all that the demo has found out.
type Report struct {
	System     System   `json:"system"`
	Process    int      `json:"process"`
	MainThread string   `json:"main_thread"`
	Settings   Settings `json:"settings"`
	Facts      []Fact   `json:"facts"`
	Rows       []Row    `json:"rows"`
	Verdict    *Verdict `json:"verdict,omitempty"` // nil without rows
	OK         bool     `json:"ok"`                // all facts are as expected
}

// A System is where the demo ran.
type System struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Go         string `json:"go"`
	CPUs       int    `json:"cpus"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	CGO        string `json:"cgo_enabled"` // as the program was built: 0, 1 or ? if it was not recorded
}

// NewReport returns a report without findings.
func NewReport(set Settings) *Report {
	return &Report{
		System: System{
			OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
			CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0), CGO: cgo(),
		},
		Process:    os.Getpid(),
		MainThread: osthread.Main(),
		Settings:   set,
		Rows:       []Row{},
		OK:         true,
	}
}

func cgo() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "CGO_ENABLED" {
				return s.Value
			}
		}
	}
	return "?"
}

// Add adds a fact.
func (r *Report) Add(f Fact) {
	r.Facts = append(r.Facts, f)
	r.OK = r.OK && f.OK
}

// A Verdict compares calls to the main thread by threadcall with those by the best of the article's designs. The
// spreads are of the ratios within each round.
type Verdict struct {
	Best   string `json:"best_of_the_others"`
	Times  Spread `json:"times_faster"`   // than that
	Masked Spread `json:"best_masked_by"` // how many times faster the best looks on an unlocked goroutine

	// Floors is threadcall's median in units of the floor's least sample, zero if there is no floor. The floor's
	// median would not do: the kernel at times gives its two threads one core.
	Floors float64 `json:"floors,omitempty"`
}

// Conclude adds the rows and what follows from them.
func (r *Report) Conclude(rows []Row) {
	r.Rows = rows
	own := r.Row("threadcall", MainThread)
	var best *Row
	for _, name := range []string{"naive", "pooled", "struct"} {
		if row := r.Row(name, MainThread); best == nil || row.Time.Median < best.Time.Median {
			best = row
		}
	}
	r.Verdict = &Verdict{
		Best:   best.Name,
		Times:  ratios(best, own),
		Masked: ratios(best, r.Row(best.Name, Unlocked)),
	}
	if floor := r.Row("floor", TwoThreads); floor.Missing == "" {
		r.Verdict.Floors = own.Time.Median / floor.Time.Min
	}
}

// ratios divides the times of a by those of b.
func ratios(a, b *Row) Spread {
	var values []float64
	for i := range a.Samples {
		values = append(values, a.Samples[i].Time/b.Samples[i].Time)
	}
	return spread(values)
}

// Row returns the row, or nil if there is none.
func (r *Report) Row(name string, served Place) *Row {
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Name == name && row.Served == served {
			return row
		}
	}
	return nil
}
