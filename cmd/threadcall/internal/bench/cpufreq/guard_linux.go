package cpufreq

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// The process and its guardian speak in lines of JSON over two pipes.
//
//	process                               guardian
//	locks the state                       inherits the lock, so that nobody else begins before it has ended
//	                                      reply{}: it is there
//	state: what it is going to change     writes the state file, reply{}
//	changes it
//	state, settled                        writes the state file, reply{}
//	closes its end, or ends               puts back, removes the state file, reply{Notes, Err}, ends
//
// If the guardian has ended instead of replying, the process does its work.

// guardVariable tells a process that it is a guardian.
const guardVariable = "THREADCALL_CPUFREQ_GUARD"

// guardPatience is how long the guardian may take to reply. It only has to be started and to write a file.
const guardPatience = 30 * time.Second

// statePatience is how long to wait for another process's guardian, which needs a moment if that process has just ended.
const statePatience = 5 * time.Second

type reply struct {
	Notes []string
	Err   string
}

// guarded is a state and the guardian that is told it.
type guarded struct {
	state state
	lock  *os.File
	cmd   *exec.Cmd
	to    *os.File // the guardian's end is its standard input; no other process has this one
	from  *os.File
	lines *bufio.Reader
}

func fix(percent int) (f *Fixed, err error) {
	all, err := policies()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		w, err := p.openToWrite("scaling_max_freq")
		if err != nil {
			return nil, err
		}
		w.Close()
	}
	lock, err := lockState(statePatience)
	if err != nil {
		return nil, err
	}
	notes, err := recoverLocked()
	if err != nil {
		lock.Close()
		return nil, err
	}
	s := state{Boot: boot(), PID: os.Getpid()}
	for _, p := range all {
		old, err := p.current()
		if err == nil {
			var target int
			target, err = p.target(percent)
			s.Changes = append(s.Changes, change{p, old, limits{target, target}})
		}
		if err != nil {
			lock.Close()
			return nil, fmt.Errorf("looking at the CPU frequency: %w", err)
		}
	}
	g, err := startGuardian(lock)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("the CPU frequency stays as it is: starting the guardian that would restore it: %w", err)
	}
	f = &Fixed{Notes: notes, guarded: g}
	if err := g.change(s); err != nil {
		_, err2 := f.restore()
		return nil, errors.Join(err, err2)
	}
	f.describe()
	return f, nil
}

// describe fills in What and Notes.
func (f *Fixed) describe() {
	var frequencies []int
	turbo := false
	for _, c := range f.guarded.state.Changes {
		frequencies = append(frequencies, c.Ours.Min, c.Ours.Max)
		base, err := c.Policy.read("base_frequency")
		turbo = turbo || err == nil && c.Ours.Max > base
	}
	low, high := slices.Min(frequencies), slices.Max(frequencies)
	f.What = hertz(low)
	if low != high {
		f.What += " to " + hertz(high)
	}
	if turbo {
		f.Notes = append(f.Notes, "The frequency is above the processor's base frequency, so it is not held when it gets hot or when more "+
			"cores work. Use less with -cpufreq to be sure.")
	}
}

func startGuardian(lock *os.File) (*guarded, error) {
	stdin, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	from, stdout, err := os.Pipe()
	if err != nil {
		to.Close()
		return nil, err
	}
	defer stdout.Close()
	cmd := exec.Command("/proc/self/exe") // also if the file is gone
	cmd.Args = []string{"threadcall-cpufreq-guardian"}
	cmd.Env = append(os.Environ(), guardVariable+"=1")
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stdout, cmd.ExtraFiles = stdin, stdout, []*os.File{lock}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a terminal's Ctrl-C and its end do not reach it
	if err := cmd.Start(); err != nil {
		to.Close()
		from.Close()
		return nil, err
	}
	g := &guarded{lock: lock, cmd: cmd, to: to, from: from, lines: bufio.NewReader(from)}
	if _, err := g.reply(); err != nil {
		to.Close()
		from.Close()
		cmd.Process.Kill() // it has nothing to guard yet
		cmd.Wait()
		return nil, err
	}
	return g, nil
}

// change makes the changes of s, which the guardian knows of beforehand.
func (g *guarded) change(s state) error {
	if err := g.tell(s); err != nil {
		return err
	}
	for _, c := range s.Changes {
		if err := c.Policy.set(c.Ours); err != nil {
			return err
		}
	}
	settled := state{Boot: s.Boot, PID: s.PID, Settled: true}
	for _, c := range s.Changes {
		var err error
		if c.Ours, err = c.Policy.current(); err != nil {
			return err
		}
		settled.Changes = append(settled.Changes, c)
	}
	return g.tell(settled)
}

// tell returns when the guardian knows s.
func (g *guarded) tell(s state) error {
	g.state = s
	b, err := json.Marshal(s)
	if err == nil {
		_, err = g.to.Write(append(b, '\n'))
	}
	if err == nil {
		_, err = g.reply()
	}
	if err != nil {
		return fmt.Errorf("telling the guardian of the CPU frequency: %w", err)
	}
	return nil
}

func (g *guarded) reply() (r reply, err error) {
	g.from.SetReadDeadline(time.Now().Add(guardPatience))
	line, err := g.lines.ReadBytes('\n')
	if err == io.EOF {
		return r, errGuardianGone
	}
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err == nil && r.Err != "" {
		err = errors.New(r.Err)
	}
	return r, err
}

var errGuardianGone = errors.New("it has ended")

func (f *Fixed) restore() (notes []string, err error) {
	g := f.guarded
	if g == nil {
		return nil, nil
	}
	f.guarded = nil
	g.to.Close()
	r, err := g.reply()
	notes = r.Notes
	g.from.Close()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		g.cmd.Process.Kill() // stopped, perhaps
		err = errGuardianGone
	}
	g.cmd.Wait()
	if errors.Is(err, errGuardianGone) {
		if notes, err = g.state.putBack(); err == nil {
			err = removeState()
		}
	}
	g.lock.Close()
	return notes, err
}

func maybeGuard() {
	if os.Getenv(guardVariable) == "" {
		return
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)
	guard(os.Stdin, os.Stdout)
	os.Exit(0)
}

// guard restores what the last line of in says when in ends.
func guard(in io.Reader, out io.Writer) {
	say := func(notes []string, err error) {
		r := reply{Notes: notes}
		if err != nil {
			r.Err = err.Error()
		}
		json.NewEncoder(out).Encode(r) // nobody may be there to hear it
	}
	say(nil, nil)
	var last state
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // what has no end of line was not told, and so nothing was done about it
		}
		var s state
		if err = json.Unmarshal(line, &s); err == nil {
			last = s
			err = s.write()
		}
		say(nil, err)
	}
	notes, err := last.putBack()
	if err == nil {
		err = removeState()
	}
	say(notes, err)
}
