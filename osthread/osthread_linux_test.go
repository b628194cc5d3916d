package osthread_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/osthread"
)

// The kernel reports success for what it cuts; the error says what the thread has.
func TestErrNotApplied_saysWhatTheThreadHas(t *testing.T) {
	onThread(func() {
		before, _ := osthread.Affinity()
		const absent = 1<<16 - 1 // unless Linux learns of more CPUs than it can have
		for has, err := range map[string]error{
			`"sixteen bytes !"`:     osthread.SetName("sixteen bytes !!"),
			strconv.Itoa(before[0]): osthread.SetAffinity(before[0], absent),
			"19":                    osthread.SetNice(30),
		} {
			if !errors.Is(err, osthread.ErrNotApplied) ||
				!strings.Contains(err.Error(), "; the thread has "+has) {
				t.Errorf("want an error with what the thread has, %s: %v", has, err)
			}
		}
		is(t, "affinity", osthread.Affinity, before[:1])
	})
}
