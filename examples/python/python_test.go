package main

import (
	"slices"
	"sync"
	"testing"
)

func startTest(t *testing.T, code string) *interpreter {
	t.Helper()
	py, err := start(code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(py.thread.Close)
	return py
}

func TestAllCallsRunOnPythonsMainThread(t *testing.T) {
	py := startTest(t, code+`
def main(n):
    return threading.current_thread() is threading.main_thread() and threading.active_count()
`)
	var counts []int
	var mu sync.Mutex
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			for range 100 {
				threads, err := py.function("main")(0)
				if err != nil || threads != 1 {
					t.Error("threads:", threads, err)
				}
				n, err := py.function("count")(0)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				counts = append(counts, n)
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	slices.Sort(counts)
	for i, n := range counts {
		if n != i+1 {
			t.Fatalf("threading.local counts %v calls, want each number to 1000 once", counts)
		}
	}
}

func TestOtherThreadsHaveTheGILBetweenCalls(t *testing.T) {
	py := startTest(t, code+`
done = threading.Event()
def begin(n):
    threading.Thread(target=done.set).start()
    return n
def ended(n):
    return done.is_set()
`)
	if _, err := py.function("begin")(0); err != nil {
		t.Fatal(err)
	}
	for done := 0; done == 0; {
		var err error
		if done, err = py.function("ended")(0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExceptionsAreErrors(t *testing.T) {
	py := startTest(t, "def fail(n): raise ValueError(n)")
	for _, name := range []string{"fail", "missing"} {
		if n, err := py.function(name)(1); err == nil {
			t.Errorf("%s(1) = %d", name, n)
		}
	}
	py.thread.Close()
	if n, err := py.function("fail")(1); err == nil {
		t.Errorf("a function of an interpreter that has ended returned %d", n)
	}
}

func TestCodeThatFailsLeavesNoInterpreter(t *testing.T) {
	if _, err := start("import this_module_is_missing"); err == nil {
		t.Error("start returns no error")
	}
	startTest(t, code)
}
