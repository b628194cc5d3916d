package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/threadcall/threadcall/internal/lab/work"
)

// The test binary is the command if this is set.
const asCommand = "THREADCALL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	work.MaybeRun()
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	code := m.Run()
	if made.dir != "" {
		_ = os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// runLab runs the command.
func runLab(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), problems.String(), cmd.ProcessState.ExitCode()
}

// made is what all experiments in haste have written, once for all tests.
var made struct {
	once           sync.Once
	dir            string
	stdout, stderr string
	status         int
}

// quickPage returns the page that all experiments in haste make, and the directory in which it and its pictures are.
func quickPage(t *testing.T) (page, dir string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the lab builds the command threadcall with the go command, which is missing:", err)
	}
	made.once.Do(func() {
		dir, err := os.MkdirTemp("", "threadcall-lab-test-")
		if err != nil {
			t.Fatal(err)
		}
		made.dir = dir
		made.stdout, made.stderr, made.status = runLab(t, "-quick", "-out", dir)
	})
	if made.status != statusOK {
		t.Fatalf("status %d, %s", made.status, made.stderr)
	}
	text, err := os.ReadFile(filepath.Join(made.dir, "lab.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), made.dir
}

func TestThePageHasASectionWithTablesAndAPictureForEachExperiment(t *testing.T) {
	page, _ := quickPage(t)
	parts := strings.Split(page, "\n## ")[1:]
	if len(parts) != len(experiments) {
		t.Fatalf("%d sections, want %d", len(parts), len(experiments))
	}
	for i, e := range experiments {
		title, text, _ := strings.Cut(parts[i], "\n")
		if title != e.title {
			t.Errorf("section %q, want %q", title, e.title)
		}
		if tables := strings.Count(text, "| --- |"); tables < 2 {
			t.Errorf("%s: %d tables", e.name, tables)
		}
		if !strings.Contains(text, "](lab/"+e.name+".svg)") {
			t.Errorf("%s: no picture", e.name)
		}
		if !strings.Contains(text, "| the article says | here |") {
			t.Errorf("%s: no statement of an article", e.name)
		}
		if paragraphs := strings.Split(strings.TrimSpace(text), "\n\n"); strings.HasPrefix(paragraphs[len(paragraphs)-1], "|") {
			t.Errorf("%s: no paragraph at the end", e.name)
		}
	}
}

func TestPicturesAreWellFormed(t *testing.T) {
	_, dir := quickPage(t)
	files, err := filepath.Glob(filepath.Join(dir, "lab", "*.svg"))
	if err != nil || len(files) != len(experiments) {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// cell returns what a table of the page has in a row that begins with name, in a column.
func cell(t *testing.T, page, name string, column int) string {
	t.Helper()
	for line := range strings.Lines(page) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| "+name) && column < len(cells) {
			return strings.Trim(cells[column], " |\n")
		}
	}
	t.Errorf("no row %q", name)
	return ""
}

func TestWhatDoesNotDependOnSpeedIsFound(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the sizes are those of processors with words of 64 bits")
	}
	if raceEnabled {
		t.Skip("with the race detector, pools drop what is put into them, and small objects are larger")
	}
	page, _ := quickPage(t)
	_, allocations, _ := strings.Cut(page, "## What a call allocates")
	_, ints, _ := strings.Cut(page, "## An int by value")
	_, structs, _ := strings.Cut(page, "## A struct of nine")
	for _, test := range []struct {
		text, row string
		column    int
		want      string
	}{
		{allocations, "**naive**", 2, "136 B in 2"},
		{allocations, "**pooled**", 2, "24 B in 1"},
		{allocations, "**struct**", 2, "0 B"},
		{allocations, "**threadcall**", 2, "0 B"},
		{allocations, "a function literal allocates 24 bytes", 1, "24 B"},
		{allocations, "the heap grows in steps of 8 KiB", 1, "8,192 B at least"},
		{ints, "by value", 4, "0 B"},
		{ints, "by returned pointer", 4, "8 B in 1"},
		{ints, "by passed pointer", 4, "0 B"},
		{structs, "copied", 4, "0 B"},
		{structs, "pointed to", 4, "80 B in 1"},
	} {
		got := cell(t, test.text, test.row, test.column)
		if test.row == "**naive**" && runtime.Version() < "go1.26" {
			continue // a channel has another size
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.row, got, test.want)
		}
	}
}

func TestTracesSeeTheSieve(t *testing.T) {
	page, _ := quickPage(t)
	_, page, _ = strings.Cut(page, "## The prime sieve")
	for _, procs := range []string{"1", "2", "4", "8"} {
		// Each message but the last of a goroutine makes one wait, unless both were busy.
		if got := cell(t, page, procs+" |", 5); number(t, got) < 0.1 || number(t, got) > 3 {
			t.Errorf("with GOMAXPROCS=%s there are %s executions a message", procs, got)
		}
	}
}

func TestGoroutinesDoNotMoveWhereTheyCannot(t *testing.T) {
	page, _ := quickPage(t)
	_, sieve, _ := strings.Cut(page, "## The prime sieve")
	_, pingpong, _ := strings.Cut(page, "## Ping-pong")
	// A P may change hands, which moves all of its goroutines, but does so seldom; a goroutine may move before it is locked.
	if share := strings.TrimSuffix(cell(t, sieve, "1 |", 7), " %"); number(t, share) > 20 {
		t.Errorf("with one P, %s %% of the executions are on another thread", share)
	}
	if moves := cell(t, pingpong, "both are locked", 4); number(t, moves) > 0.1 {
		t.Errorf("locked goroutines move %s times in a round trip", moves)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		t.Error(err)
	}
	return x
}

var wrongs = regexp.MustCompile(`NaN|Inf\b|%!|[^\d.,]1 (?:times|collections|objects)\b|\bns/op| ,|\(\)`)

var links = regexp.MustCompile(`\]\(([^)]+)\)`)

// checkMarkdown checks that tables are whole and that links in the page lead somewhere. What is not in dir must be in docs.
func checkMarkdown(t *testing.T, page, dir, docs string) {
	t.Helper()
	headings := func(text string) map[string]bool {
		found := map[string]bool{}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") {
				found[anchor(strings.TrimSpace(strings.TrimLeft(line, "#")))] = true
			}
		}
		return found
	}
	for _, found := range links.FindAllStringSubmatch(page, -1) {
		link := found[1]
		if strings.HasPrefix(link, "https://") {
			continue
		}
		file, heading, hasHeading := strings.Cut(link, "#")
		text := page
		if file != "" {
			content, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				content, err = os.ReadFile(filepath.Join(docs, file))
			}
			if err != nil {
				t.Errorf("the link %s leads nowhere: %v", link, err)
				continue
			}
			text = string(content)
		}
		if hasHeading && !headings(text)[heading] {
			t.Errorf("the link %s leads to no heading", link)
		}
	}
	columns := 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns > 0 && n != columns {
			t.Errorf("a row of %d columns in a table of %d: %s", n-1, columns-1, line)
		}
		columns = n
	}
	if wrong := wrongs.FindString(page); wrong != "" {
		t.Errorf("%q is on the page", wrong)
	}
}

func TestLinksAndTablesAreWhole(t *testing.T) {
	page, dir := quickPage(t)
	checkMarkdown(t, page, dir, filepath.Join("..", "..", "docs"))
}

func TestThePageInDocsIsOfTheseExperiments(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	text, err := os.ReadFile(filepath.Join(docs, "lab.md"))
	if err != nil {
		t.Fatal("make lab writes it:", err)
	}
	checkMarkdown(t, string(text), docs, docs)
	for _, e := range experiments {
		if !strings.Contains(string(text), "\n## "+e.title+"\n") {
			t.Errorf("it has no section %q; make lab writes one", e.title)
		}
	}
	if !strings.Contains(string(text), "- with `make lab`\n") {
		t.Error("it is of another command than make lab")
	}
}

func TestAPipeGetsALineForEachStageAndTheNamesOfTheResults(t *testing.T) {
	_, dir := quickPage(t)
	for _, e := range experiments {
		if !strings.Contains(made.stderr, e.title+"\n") {
			t.Errorf("no progress for %q", e.title)
		}
	}
	if strings.ContainsAny(made.stdout+made.stderr, "\x1b\r") {
		t.Errorf("codes of a terminal: %q %q", made.stdout, made.stderr)
	}
	if want := "written: " + filepath.Join(dir, "lab.md"); !strings.HasPrefix(made.stdout, want) {
		t.Errorf("%q, want %q", made.stdout, want)
	}
}

func TestExperimentsCanBePicked(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, status := runLab(t, "--quick", "--run", "^alloc", "--out", dir); status != statusOK {
		t.Fatal(status, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "lab.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n## "); n != 1 || !strings.Contains(string(text), "-run '^alloc'") {
		t.Errorf("%d sections, want one, and the command:\n%s", n, text)
	}
}

func TestAPartDoesNotReplaceThePageThatHasAll(t *testing.T) {
	for _, set := range []settings{{run: "x"}, {quick: true}} {
		if dir := set.where("root"); strings.HasPrefix(dir, "root") {
			t.Errorf("%+v is written to %s", set, dir)
		}
	}
	if dir := (settings{}).where("root"); dir != filepath.Join("root", "docs") {
		t.Errorf("everything is written to %s", dir)
	}
}

func TestWhatIsNotUnderstoodIsSaid(t *testing.T) {
	for want, args := range map[string][]string{
		"matches none of the experiments": {"-run", "nonsense"},
		"is not a regular expression":     {"-run", "("},
		"at least 6":                      {"-rounds", "5"},
		"unknown flag":                    {"-nonsense"},
		"unknown command":                 {"nonsense"},
	} {
		if _, stderr, status := runLab(t, args...); status != statusUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d and %q, want %q", args, status, stderr, want)
		}
	}
}

func TestAResultThatCannotBeWrittenIsAFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := runLab(t, "-quick", "-run", "alloc", "-out", filepath.Join(file, "out")); status != statusWrong || stderr == "" {
		t.Errorf("status %d and %q", status, stderr)
	}
}

func TestTheLabNeedsTheSource(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, stderr, status := runLab(t, "-quick", "-run", "alloc"); status != statusWrong || !strings.Contains(stderr, "inside of the project's source") {
		t.Errorf("status %d and %q", status, stderr)
	}
}

func TestWhenItIsTerminatedItLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing can be asked to end there")
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-run", "calls", "-out", dir)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+dir)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stderr.Read(make([]byte, 1)); err != nil { // the first experiment has begun
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != statusWrong {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "threadcall-lab-*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestAnInterruptWritesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	set := quick()
	set.out = dir
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if err := perform(ctx, set, experiments, null, newProgress(null)); !errors.Is(err, errInterrupted) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lab.md")); err == nil {
		t.Error("there is a page")
	}
}
