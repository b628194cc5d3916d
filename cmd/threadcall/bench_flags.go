package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// cpuList reads the flag -cpu.
func cpuList(text string) (procs []int, err error) {
	if text == "" {
		return nil, nil
	}
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-cpu must be a list of numbers such as 1,2,4, not %q", text)
		}
		procs = append(procs, n)
	}
	return procs, nil
}

// benchtime checks what testing would refuse only in each process.
func benchtime(text string) error {
	if text == "" {
		return nil
	}
	if count, ok := strings.CutSuffix(text, "x"); ok {
		if n, err := strconv.ParseInt(count, 10, 0); err == nil && n > 0 {
			return nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return nil
	}
	return fmt.Errorf("-benchtime must be a time such as 100ms or a number such as 1000x, not %q", text)
}

// typed returns the arguments as one can type them in a shell.
func typed(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n|&;<>()$`\\\"'*?[]#~!{}") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
