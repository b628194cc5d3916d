package recorder

import (
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/record"
)

// allocsVariable names the file for the profile of allocations in the environment.
const allocsVariable = "THREADCALL_ALLOCS"

// A profile is complete only from when the rate is set, so that is done while package variables are made. What packages
// that are initialised earlier allocate is missing, unless GODEBUG=memprofilerate=1 has set the rate before them.
var allocs = beginAllocs()

type profile struct {
	file  string // empty if the environment asks for none
	began time.Time
	write sync.Once
}

func beginAllocs() *profile {
	p := &profile{file: os.Getenv(allocsVariable), began: time.Now()}
	if p.file != "" {
		os.Unsetenv(allocsVariable)
		runtime.MemProfileRate = 1
	}
	return p
}

// end writes the profile, the first time that it is called.
func (p *profile) end() {
	if p.file == "" {
		return
	}
	p.write.Do(func() {
		if err := record.Write(p.file, p.began); err != nil {
			complain("no profile of allocations", err, allocsVariable)
		}
	})
}
