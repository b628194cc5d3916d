package keyed_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/keyed"
)

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
		func(user string) { fmt.Println("end of", user) },
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
