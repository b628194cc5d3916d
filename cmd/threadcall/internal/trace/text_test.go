package trace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
	"github.com/threadcall/threadcall/thread"
)

// written returns what a reader of a file of that width reads.
func written(t *testing.T, width int, write func(Text)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "text"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := screen.On(f)
	s.Width = width
	write(Text{s})
	if s.Err != nil {
		t.Fatal(s.Err)
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func widest(text string) (n int) {
	for line := range strings.Lines(text) {
		n = max(n, len([]rune(strings.TrimSuffix(line, "\n"))))
	}
	return n
}

func TestTheTextSaysWhatTheReportHas(t *testing.T) {
	r := analyse(t, func() {
		th := thread.New()
		for range 20 {
			aFunctionWithANameThatIsSoLongThatNoTableHasRoomForItBesideAllTheNumbersThatItMustShow(th)
		}
		th.Terminate()
		runtime.GC()
	})
	r.Warnings = append(r.Warnings, "Something is not as it should be, and it takes more than one line to say what it is that is so.")
	text := written(t, 80, func(w Text) { w.Report(r) })
	if n := widest(text); n > 80 {
		t.Errorf("%d columns:\n%s", n, text)
	}
	for _, want := range []string{"warning  Something", "GC mark termination", "text_test.go:", "sleep", "stopped for",
		"calls           20", "thread"} {
		if !strings.Contains(text, want) {
			t.Errorf("has no %q:\n%s", want, text)
		}
	}
}

func aFunctionWithANameThatIsSoLongThatNoTableHasRoomForItBesideAllTheNumbersThatItMustShow(th *thread.Thread) {
	th.Call(func() { time.Sleep(time.Microsecond) })
}

func TestAReportWithoutAnythingCanBeTold(t *testing.T) {
	text := written(t, 80, func(w Text) { w.Report(&Report{}) })
	for _, want := range []string{"does not tell its size", "stop-the-world  0 times", "moves           none"} {
		if !strings.Contains(text, want) {
			t.Errorf("has no %q:\n%s", want, text)
		}
	}
}

func TestANarrowScreenGetsNoPicture(t *testing.T) {
	r := analyse(t, func() { runtime.GC() })
	text := written(t, 30, func(w Text) { w.Report(r) })
	if strings.Contains(text, "│") || !strings.Contains(text, "peak") {
		t.Error(text)
	}
}

func TestATableTakesNoMoreRoomThanItNeeds(t *testing.T) {
	text := written(t, 20, func(w Text) {
		short := table{left: 1}
		short.add("", "numbers", "that", "have", "no", "room")
		short.write(w.Screen)
	})
	if text != "    numbers  that  have  no  room\n" {
		t.Errorf("%q", text)
	}
}

func TestAPictureIsAsHighAsTheSeries(t *testing.T) {
	var s series
	const end = time.Second
	for i := range 100 {
		s.add(end*time.Duration(i)/100, float64(i))
	}
	lines := strings.Split(written(t, 80, func(w Text) {
		picture{values: s.result(end, 0), end: end, write: func(x float64) string { return "most" }}.draw(w.Screen)
	}), "\n")
	if len(lines) != pictureRows+2 || !strings.HasPrefix(strings.TrimSpace(lines[0]), "most │") {
		t.Fatalf("%q", lines)
	}
	before := 0
	for _, line := range lines[:pictureRows] { // from the top to the foot, a rising line has more and more
		n := strings.Count(line, "█")
		if n <= before {
			t.Errorf("%d cells below %d: %q", n, before, lines)
		}
		before = n
	}
	if before < 50 || before > 66 {
		t.Errorf("%d cells at the foot: %q", before, lines)
	}
}

func TestAPictureKeepsAPeakOfAMoment(t *testing.T) {
	var s series
	s.add(0, 1)
	s.add(520*time.Millisecond, 100)
	s.add(520*time.Millisecond+1, 1)
	low, high := columns(s.result(time.Second, 0), 10, time.Second)
	for i := range 10 {
		want := 1.0
		if i == 5 {
			want = 100
		}
		if low[i] != 1 || high[i] != want {
			t.Errorf("column %d: %v to %v", i, low[i], high[i])
		}
	}
}
