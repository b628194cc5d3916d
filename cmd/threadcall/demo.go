package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/demo"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

func runDemo(c *command) error {
	sample := c.Duration("duration", 100*time.Millisecond, "how long to time calls for a sample")
	args, program, err := c.parseAll()
	switch {
	case err != nil:
		return err
	case len(args)+len(program) > 0:
		return fmt.Errorf("demo takes flags only, not %q", append(args, program...)[0])
	case *sample < time.Millisecond || *sample > time.Minute:
		return fmt.Errorf("the duration of a sample must be from 1ms to 1m0s, not %v", *sample)
	}
	out := ui.On(c.stdout)
	ok := demo.Run(*sample, out)
	if out.Err == nil && !ok {
		return fail(statusWrong, errors.New("not all is as expected"))
	}
	return fail(statusWrong, out.Err)
}
