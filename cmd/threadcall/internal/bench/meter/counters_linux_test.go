package meter

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/counters"
)

func TestMain(m *testing.M) {
	counters.Maybe()
	os.Exit(m.Run())
}

// taskClock counts the nanoseconds in which threads run. Every machine has it.
var taskClock = []counters.Event{{Unit: "task/op", Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK}}

func TestACounterCountsAllThreadsInTheTimedPart(t *testing.T) {
	if err := counters.Available(taskClock); err != nil {
		t.Skip(err)
	}
	binary := build(t)
	counters.Count(binary, taskClock)
	all := values(t, binary, "-test.bench=.")
	if len(all) != 7 {
		t.Fatalf("%d benchmarks: %v", len(all), all)
	}
	for name, of := range all { // Threads starts threads, which end within it
		if cpu, task := 1e9*of["cpu-sec/op"], of["task/op"]; task < cpu/3 || task > 3*cpu {
			if name != "Sleeps" { // whose CPU time is below the resolution of both clocks
				t.Errorf("%s: %g ns by the counter, %g by the clock of the process", name, task, cpu)
			}
		}
	}
	if n := all["Stops"]["allocs/op"]; n != 0 {
		t.Errorf("to stop and start the timer allocates %v times", n)
	}
	if all["Threads"]["task/op"] < 2*all["Works"]["task/op"] {
		t.Errorf("four threads count as %v, one with the work of each as %v", all["Threads"], all["Works"])
	}
}

func TestWithoutCountersNothingIsReported(t *testing.T) {
	binary := build(t)
	binary.Env = append(binary.Env, counters.Environment+"=task/op=1,other/op=77") // which are no counters
	for name, of := range values(t, binary, "-test.bench=Works") {
		if _, ok := of["task/op"]; ok || of["cpu-sec/op"] <= 0 {
			t.Errorf("%s: %v", name, of)
		}
	}
}

func TestInstructionsAndCyclesAreCounted(t *testing.T) {
	if err := counters.Available(counters.Hardware); err != nil {
		t.Skip("no counters: ", err)
	}
	binary := build(t)
	counters.Count(binary, counters.Hardware)
	of := values(t, binary, "-test.bench=Works")["Works"]
	// A million iterations of six operations and a branch.
	if n := of["instructions/op"]; n < 3e6 || n > 3e7 || of["cycles/op"] <= 0 {
		t.Errorf("%v", of)
	}
}
