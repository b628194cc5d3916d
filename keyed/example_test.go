package keyed_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/keyed"
)

// Statistics like those of database/sql, for a page or a metric.
func ExampleThreads_Stats() {
	gpus := keyed.New[int](nil, keyed.WithMaxThreads(1))
	defer gpus.Close()
	ctx := context.Background()
	for gpu := range 3 {
		_ = gpus.Call(ctx, gpu, func() error { return nil })
	}
	s := gpus.Stats()
	fmt.Println(s.Threads, "of", s.MaxThreads, "threads;", s.WaitCount, "calls have waited,",
		s.MaxThreadsEnded, "threads ended for others")
	// Output: 1 of 1 threads; 2 calls have waited, 2 threads ended for others
}

// A thread for each user, made when it is first needed, and at most eight at a time.
func Example() {
	users := keyed.New(
		func(user string) error {
			if user == "root" {
				return errors.New("not allowed")
			}
			fmt.Println("become", user)
			return nil
		},
		keyed.WithStop(func(user string) { fmt.Println("end of", user) }),
		keyed.WithMaxThreads(8),
		keyed.WithIdleTimeout(time.Minute),
	)
	ctx := context.Background()
	for _, user := range []string{"ann", "ann", "root"} {
		err := users.Call(ctx, user, func() error { fmt.Println("read files as", user); return nil })
		if err != nil {
			fmt.Println(user+":", err)
		}
	}
	users.Close()
	// Output:
	// become ann
	// read files as ann
	// read files as ann
	// root: not allowed
	// end of ann
}
