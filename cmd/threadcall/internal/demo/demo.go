// Package demo shows what threadcall promises and what it costs, on the machine that it runs on:
// facts about the main thread, each with what was expected and what was seen, and what a call takes
// by the designs of the article that threadcall starts from, and by threadcall.
package demo

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// timeout is how long an experiment may take: a thousand times what the slowest needs.
const timeout = 10 * time.Second

// Run takes samples of that duration. It writes each result to out when it is there, and returns
// whether all facts are as expected. It must be called on a goroutine of a program whose main
// thread mainthread.Init serves.
func Run(sample time.Duration, out *ui.Screen) (ok bool) {
	p := printer{out}
	p.Printf("%s  %s/%s, %s, %d CPUs, GOMAXPROCS=%d\n\n", p.Bold("threadcall demo"), runtime.GOOS,
		runtime.GOARCH, runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	p.Printf("%s\n\n", p.Bold("1. Functions run on the thread they belong to"))
	p.Printf("Process %d. Its main thread is thread %s.\n\n", os.Getpid(), mainThread())
	all, wrong, hung := p.facts(experiments, timeout)
	if !hung { // the measurement would hang as well
		p.costs(sample)
	}
	if wrong > 0 {
		p.Printf("%s  %d of %d facts are not as expected.\n", p.Red("WRONG"), wrong, all)
		return false
	}
	p.Printf("%s  %d of %d facts are as expected.\n", p.Green("ok"), all, all)
	return true
}

// A printer writes results for people.
type printer struct{ *ui.Screen }

// facts makes the experiments one after the other, and prints what each has shown. One that does
// not end within the timeout is wrong, and the last: others would wait for the same thread.
func (p printer) facts(experiments []experiment, timeout time.Duration) (all, wrong int,
	hung bool) {
	for _, e := range experiments {
		ended := make(chan [2]string, 1)
		go func() {
			result := [2]string{"an answer", "the end of the goroutine that asked"}
			defer func() { ended <- result }() // also if the experiment calls Goexit
			result[0], result[1] = e.do()
		}()
		var expected, seen string
		select {
		case result := <-ended:
			expected, seen = result[0], result[1]
		case <-time.After(timeout):
			expected, seen, hung = "an answer", fmt.Sprintf("none in %v", timeout), true
		}
		mark, label := p.Green("ok   "), "seen"
		if all++; expected != seen {
			wrong++
			mark, label = p.Red("WRONG"), p.Red("seen")
		}
		p.Paragraph(mark+"  ", p.Bold(e.claim))
		p.Paragraph("       expected  ", expected)
		p.Paragraph("       "+label+"      ", seen)
		p.Printf("\n")
		if hung {
			break
		}
	}
	return all, wrong, hung
}

// An experiment shows whether a claim is true: what was expected, and what was seen, are the same.
type experiment struct {
	claim string
	do    func() (expected, seen string)
}

var experiments = []experiment{
	{"the main thread is the one that the process began on", first},
	{fmt.Sprintf("calls from %d goroutines all run on the main thread", callers), calls},
	{"a call made on the main thread runs in place", nested},
	{"threads that call each other in a cycle do not deadlock", cycle},
	{"a panic reaches the caller as the value it was, and the thread goes on", panics},
}

// here calls the main thread and names the thread that answers.
func here() string {
	on := "nowhere"
	mainthread.Call(func() { on = thisThread() })
	return on
}

func first() (expected, seen string) {
	main := mainThread()
	if runtime.GOOS == "linux" { // where the number of the process is that of its main thread
		main = strconv.Itoa(os.Getpid())
	}
	return "a call runs on thread " + main, "a call runs on thread " + here()
}

func nested() (expected, seen string) {
	var trace []string
	note := func(what string) { trace = append(trace, what+thisThread()) }
	mainthread.Call(func() {
		note("outer begins on ")
		mainthread.Call(func() { note("inner runs on ") })
		note("outer ends on ")
	})
	return fmt.Sprintf("outer begins on %[1]s, inner runs on %[1]s, outer ends on %[1]s",
		mainThread()), strings.Join(trace, ", ")
}

func cycle() (expected, seen string) {
	t := thread.New(thread.WithName("demo"))
	defer t.Terminate()
	second := thread.MustEval(t, thisThread)
	trace := ""
	note := func(how string) { trace += how + thisThread() }
	mainthread.Call(func() {
		note("")
		t.Call(func() {
			note(" calls ")
			mainthread.Call(func() { note(" calls ") })
			note(", back to ")
		})
		note(", back to ")
	})
	return fmt.Sprintf("%[1]s calls %[2]s calls %[1]s, back to %[2]s, back to %[1]s",
		mainThread(), second), trace
}

// A PanicValue is what the experiments panic with.
type PanicValue struct{ n int }

func panics() (expected, seen string) {
	thrown := &PanicValue{1}
	caught := func() (v any) {
		defer func() { v = recover() }()
		mainthread.Call(func() { panic(thrown) })
		return nil
	}()
	const sentence = "%T at %p, the next call on %s"
	return fmt.Sprintf(sentence, thrown, thrown, mainThread()),
		fmt.Sprintf(sentence, caught, caught, here())
}

// callers is how many goroutines call at the same time. So that calls certainly come from several
// threads, every eighth has a thread of its own; the others are where the scheduler puts them.
const callers = 64

func calls() (expected, seen string) {
	start := make(chan struct{})
	var ready, ended sync.WaitGroup
	var onMain atomic.Int64
	ready.Add(callers)
	for i := range callers {
		ended.Go(func() {
			if i%8 == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			ready.Done()
			<-start
			mainthread.Call(func() {
				if thisThread() == mainThread() {
					onMain.Add(1)
				}
			})
		})
	}
	ready.Wait()
	close(start)
	ended.Wait()
	const sentence = "%d on thread %s, %d elsewhere"
	return fmt.Sprintf(sentence, callers, mainThread(), 0),
		fmt.Sprintf(sentence, onMain.Load(), mainThread(), callers-onMain.Load())
}

// Package variables are initialised on the main thread, before anything could have moved.
var atStart = ident.Thread()

// thisThread names the thread that the caller is on: by the number that the system shows, or, where
// that cannot be determined without C, by what the library says, as "main" or "other".
func thisThread() string {
	if n := ident.Thread(); n != 0 {
		return strconv.FormatUint(n, 10)
	}
	if mainthread.On() {
		return "main"
	}
	return "other"
}

// mainThread names the thread that the process began on, as thisThread would there.
func mainThread() string {
	if atStart != 0 {
		return strconv.FormatUint(atStart, 10)
	}
	return "main"
}

// rounds is how many samples of each row are taken.
const rounds = 9

// designs are ways to call the main thread: the article's, and threadcall, which comes last.
var designs = []struct {
	name string
	open func() (s compare.Subject, end func())
}{
	{"naive", served(compare.Naive)},
	{"pooled", served(compare.Pooled)},
	{"struct", served(compare.Struct)},
	{"threadcall", func() (compare.Subject, func()) { return compare.MainThread, func() {} }},
}

func served(design func() compare.Design) func() (s compare.Subject, end func()) {
	return func() (compare.Subject, func()) {
		d := design()
		return d, compare.OnMain(d)
	}
}

// costs measures what a call takes, and prints a table.
func (p printer) costs(sample time.Duration) {
	p.Printf("%s\n\n", p.Bold("2. What a call costs"))
	p.Paragraph("", `The article "Scheduling Function Calls with Zero Allocation" (2021) has three
		designs in which one goroutine receives functions on a channel: naive, pooled and struct.
		Here they serve the main thread, as threadcall does.`)
	p.Printf("\n")
	p.Paragraph("", fmt.Sprintf("Times are medians of %d rounds, each in an order of its own, with "+
		"%v of calls to a sample. This takes about %v.", rounds, sample,
		max((6*(rounds+1)*sample).Round(time.Second), time.Second)))
	p.Printf("\n")

	testing.Init()
	_ = flag.Set("test.benchtime", "1000x") // it is defined, and valid
	names, memory := []string{"direct"}, [][2]string{{}}
	contenders := []compare.Contender{compare.Direct}
	for _, d := range designs {
		s, end := d.open()
		r := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				s.Call(func() {})
			}
		})
		end()
		names, memory = append(names, d.name), append(memory,
			[2]string{fmt.Sprint(r.AllocedBytesPerOp()), fmt.Sprint(r.AllocsPerOp())})
		contenders = append(contenders, compare.Calling(d.open))
	}
	if c := compare.Bounded(); c != nil {
		names, memory, contenders = append(names, "bound"), append(memory, [2]string{}),
			append(contenders, c)
	}
	series := compare.Rounds(contenders, rounds, sample)
	t := &ui.Table{Left: 1}
	t.Add("", "a call", "least", "most", "B/op", "allocs/op")
	best := 1 // of the article's designs
	for i, times := range series {
		t.Add(names[i], ui.Duration(stats.Median(times)), ui.Duration(slices.Min(times)),
			ui.Duration(slices.Max(times)), memory[i][0], memory[i][1])
		if i < len(designs) && i > 0 && stats.Median(times) < stats.Median(series[best]) {
			best = i
		}
	}
	t.Write(p.Screen)
	p.Printf("\n")
	p.Paragraph("direct      ", "The same function is called where its caller is.")
	p.Paragraph("bound       ", `Two threads pass one word back and forth: the least that a call
		between threads can take, if both have a core to themselves. It is missing where two threads
		cannot run at the same time.`)
	if last := len(series) - 1; last > len(designs) &&
		stats.Median(series[last]) > stats.Median(series[len(designs)]) {
		p.Paragraph("            ", `Here a call takes less than that, because other processes had one of
			the cores for most of the samples: look at the least.`)
	}
	p.Printf("\n")
	var ratios []float64 // within each round
	for i, ns := range series[len(designs)] {
		ratios = append(ratios, series[best][i]/ns)
	}
	p.Paragraph("", fmt.Sprintf("Threadcall is %s times as fast as %s, the best of the others (the "+
		"median of the rounds, which range from %s to %s).", p.Bold(ui.Digits(stats.Median(ratios))),
		names[best], ui.Digits(slices.Min(ratios)), ui.Digits(slices.Max(ratios))))
	p.Printf("\n")
}
