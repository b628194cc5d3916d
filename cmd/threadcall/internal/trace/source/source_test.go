package source_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
)

func TestACommandWithoutTheRecorderIsToldOfIt(t *testing.T) {
	var out bytes.Buffer
	r := command(t, "is quiet")
	r.Stdout = &out
	results := open(t, t.Context(), r)
	if len(results) != 1 || results[0].err == nil {
		t.Fatalf("results %+v", results)
	}
	text := results[0].err.Error()
	if !strings.Contains(text, `import "github.com/threadcall/threadcall/recorder"`) || !strings.Contains(text, "defer recorder.Start()()") {
		t.Error(text)
	}
	if out.String() != "as ever\n" {
		t.Errorf("the output of the command is %q", out.String())
	}
}

func TestACommandThatExitsTooEarlyIsToldOfStop(t *testing.T) {
	results := open(t, t.Context(), command(t, "exits at once"))
	if len(results) != 1 || results[0].err == nil || !strings.Contains(results[0].err.Error(), "recorder.Stop") ||
		exitCode(results[0].err) != 3 {
		t.Errorf("results %+v", results)
	}
}

func TestACommandThatFailsLeavesItsTrace(t *testing.T) {
	if r := one(t, command(t, "fails")); exitCode(r.failed) != 3 || r.report.Trace.Events == 0 {
		t.Errorf("failed with %v, %d events", r.failed, r.report.Trace.Events)
	}
}

func TestACommandMayRunElsewhere(t *testing.T) {
	r := command(t, "goes elsewhere")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "temp"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, "temp")
	}
	for tr, err := range source.Open(t.Context(), r) {
		if err != nil || tr.Failed != nil {
			t.Errorf("trace %+v, error %v", tr, err)
		}
	}
}

func TestACommandThatIsNotThereIsToldOf(t *testing.T) {
	results := open(t, t.Context(), source.Request{Command: []string{"no-such-command-here"}})
	if len(results) != 1 || results[0].err == nil || !strings.Contains(results[0].err.Error(), "no-such-command-here") {
		t.Errorf("results %+v", results)
	}
}

// kept makes the request keep its trace, whose name the program is told.
func kept(t *testing.T, r source.Request) (source.Request, string) {
	r.Keep = filepath.Join(t.TempDir(), "kept.trace")
	t.Setenv("THREADCALL_TEST_FILE", r.Keep)
	return r, r.Keep
}

func TestATraceIsReadUpToWhereTheProgramWasKilled(t *testing.T) {
	r, file := kept(t, command(t, "is killed"))
	got := one(t, r)
	if got.failed == nil || got.report.Trace.Events == 0 || got.report.Trace.Duration == 0 || got.report.Goroutines.Created < 10 {
		t.Errorf("failed with %v, %+v", got.failed, got.report.Trace)
	}
	// What is kept is the same trace.
	again := one(t, source.Request{File: file})
	if again.report.Trace.Events != got.report.Trace.Events || again.size != got.size || again.size != got.report.Trace.Bytes {
		t.Errorf("%d events in %d bytes, then %d in %d", got.report.Trace.Events, got.size, again.report.Trace.Events, again.size)
	}
	// Half of it as well.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	half := one(t, source.Request{File: file})
	if half.report.Trace.Events == 0 || half.report.Trace.Events >= got.report.Trace.Events || !half.report.Trace.Truncated {
		t.Errorf("%d events of %d, %+v", half.report.Trace.Events, got.report.Trace.Events, half.report.Trace)
	}
}

func TestAnInterruptEndsTheCommandAndItsTraceIsRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupts for one process")
	}
	for program, fails := range map[string]bool{"ends when asked": false, "dies of an interrupt": true, "does not end": true,
		"ends when asked, by a shell": true} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			command := []string{os.Args[0]}
			program, byShell := strings.CutSuffix(program, ", by a shell")
			if byShell {
				command = []string{"sh", "-c", `"$0"; echo the shell goes on`, os.Args[0]}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			file := filepath.Join(t.TempDir(), "kept.trace")
			seen := make(chan bool)
			r := source.Request{
				Command: append([]string{"env", variable + "=" + program, "THREADCALL_TEST_FILE=" + file}, command...),
				Keep:    file,
				Stdout:  &watched{wait: "ready", seen: seen},
			}
			go func() { <-seen; cancel() }()
			n := 0
			for tr, err := range source.Open(ctx, r) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if (tr.Failed != nil) != fails && !byShell { // shells differ
					t.Errorf("failed with %v", tr.Failed)
				}
				report, err := read.Trace(tr, read.Options{})
				if err != nil || program == "ends when asked" && report.Trace.Truncated {
					t.Errorf("error %v, report %+v", err, report)
				}
			}
			if n != 1 {
				t.Errorf("%d traces", n)
			}
		})
	}
}

func TestTheStandardInputIsATrace(t *testing.T) {
	r, file := kept(t, command(t, "makes calls"))
	want := one(t, r)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	old := os.Stdin
	os.Stdin = f
	defer func() { os.Stdin = old }()
	if got := one(t, source.Request{File: "-"}); got.report.Trace.Events != want.report.Trace.Events || got.size != want.size {
		t.Errorf("%d events in %d bytes, want %d in %d", got.report.Trace.Events, got.size, want.report.Trace.Events, want.size)
	}
}

func TestATraceIsKeptWhereALinkLeads(t *testing.T) {
	file, link := filepath.Join(t.TempDir(), "kept.trace"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no links here: ", err)
	}
	r := command(t, "makes calls")
	r.Keep = link
	want := one(t, r)
	if at, err := os.Stat(file); err != nil || at.Size() != want.size {
		t.Errorf("%v; want a file of %d bytes", err, want.size)
	}
}

func TestADeviceIsNotReplacedByATrace(t *testing.T) {
	device := filepath.Join(t.TempDir(), "device")
	if err := os.Symlink(os.DevNull, device); err != nil || runtime.GOOS == "windows" {
		t.Skip("no links to devices here: ", err)
	}
	r := command(t, "is quiet")
	r.Keep = device
	results := open(t, t.Context(), r)
	if len(results) != 1 || results[0].err == nil || !strings.Contains(results[0].err.Error(), "no regular file") {
		t.Errorf("results %+v", results)
	}
	if _, err := os.Lstat(device); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.trace")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing", "kept.trace")
	for complaint, r := range map[string]source.Request{
		"give a file":               {},
		"exclude each other":        {File: "a", Command: []string{"b"}},
		"only a trace that is":      {File: file, Keep: "b"},
		"flags of go test":          {File: file, Tests: source.Tests{Run: "x"}},
		"no such file":              {File: missing},
		"is a directory":            {File: t.TempDir()},
		"the trace cannot be kept:": {Command: []string{os.Args[0]}, Keep: missing},
	} {
		results := open(t, t.Context(), r)
		if len(results) != 1 || results[0].err == nil {
			t.Errorf("%q: results %+v", complaint, results)
		} else if text := results[0].err.Error(); !strings.Contains(text, complaint) &&
			(complaint != "no such file" || !os.IsNotExist(results[0].err)) {
			t.Errorf("%q: %s", complaint, text)
		}
	}
}

func TestAFileIsToldFromPackages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.trace")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args     []string
		file     string
		packages int
		fails    bool
	}{
		{[]string{"-"}, "-", 0, false},
		{[]string{file}, file, 0, false},
		{[]string{file, "-"}, "", 0, true},
		{[]string{"./...", file}, "", 0, true},
		{[]string{"./...", "."}, "", 2, false},
		{[]string{t.TempDir()}, "", 1, false},
	} {
		file, packages, err := source.Classify(c.args)
		if file != c.file || len(packages) != c.packages || (err != nil) != c.fails {
			t.Errorf("%q: %q, %q, %v", c.args, file, packages, err)
		}
	}
}

// module writes a module with one test file for each of its packages.
func module(t *testing.T, tests map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command: ", err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n\ngo 1.26.0\n")
	for name, text := range tests {
		write(name+"/x.go", "package x\n")
		if text != "" {
			write(name+"/x_test.go", "package x\n\n"+text)
		}
	}
	t.Setenv("GOWORK", "off")
	t.Chdir(dir)
}

func TestEachPackageWithTestsHasATrace(t *testing.T) {
	module(t, map[string]string{
		"fails":  "import \"testing\"\n\nfunc TestFails(t *testing.T) { t.Error(\"it is wrong\") }\n",
		"broken": "import \"testing\"\n\nfunc TestBroken(t *testing.T) { undefinedHere() }\n",
		"exits":  "import (\n\"os\"\n\"testing\"\n)\n\nfunc TestMain(*testing.M) { os.Exit(0) }\n",
		"none":   "",
		"good": "import (\n\"os\"\n\"testing\"\n)\n\nfunc TestGood(t *testing.T) { if !testing.Short() { t.Error(\"not short\") }\n" +
			"if _, err := os.Stat(\"x_test.go\"); err != nil { t.Error(err) } }\nfunc TestOther(t *testing.T) { t.Error(\"it is run\") }\n" +
			"func BenchmarkB(b *testing.B) { for b.Loop() { } ; b.Log(\"it is run\", b.N) }\n",
	})
	var out bytes.Buffer
	var doing []string
	results := open(t, t.Context(), source.Request{
		Packages: []string{"./..."},
		Tests:    source.Tests{Run: "Good|Fails", Bench: ".", Benchtime: "10x", Count: 1, CPU: "1", Short: true},
		Stdout:   &out, Stderr: &out,
		Doing: func(what string) { doing = append(doing, what) },
	})
	if len(results) != 4 {
		t.Fatalf("results %+v", results)
	}
	broken, exits, fails, good := results[0], results[1], results[2], results[3]
	if broken.err == nil || !strings.Contains(broken.err.Error(), "undefined: undefinedHere") {
		t.Errorf("what does not compile: %+v", broken)
	}
	if exits.err == nil || !strings.Contains(exits.err.Error(), "example.com/m/exits") {
		t.Errorf("what exits: %+v", exits)
	}
	if fails.err != nil || fails.failed == nil || !strings.Contains(out.String(), "it is wrong") || fails.report.Trace.Events == 0 {
		t.Errorf("what fails: %+v, output\n%s", fails, out.String())
	}
	if good.err != nil || good.failed != nil || good.name != "go test example.com/m/good" || !strings.Contains(out.String(), "it is run 10") {
		t.Errorf("what is good: %+v, output\n%s", good, out.String())
	}
	if !strings.Contains(strings.Join(doing, "\n"), "running the tests of example.com/m/good") {
		t.Errorf("told of %q", doing)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if results := open(t, ctx, source.Request{Packages: []string{"./..."}}); len(results) != 1 || results[0].err == nil ||
		results[0].err.Error() != "interrupted" {
		t.Errorf("interrupted: %+v", results)
	}

	for complaint, r := range map[string]source.Request{
		"no tests in ./none":   {Packages: []string{"./none"}},
		"nothere":              {Packages: []string{"./nothere"}},
		"4 packages have test": {Packages: []string{"./..."}, Keep: "x.trace"},
	} {
		if results := open(t, t.Context(), r); len(results) != 1 || results[0].err == nil || !strings.Contains(results[0].err.Error(), complaint) {
			t.Errorf("%q: %+v", complaint, results)
		}
	}
}
