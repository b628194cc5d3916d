// Package program measures commands as a whole: how long each takes, the CPU time of its processes, and the most memory
// that one of them has.
package program

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Command is one of those that are compared.
type Command struct {
	Name    string // a word that no other has
	Text    string // as the user has typed it
	InShell bool   // a shell starts it
	args    []string
}

// New returns the commands. If one of them needs a shell, sh (cmd on Windows) starts all of them: the time that the shell takes
// to start must not be a difference.
func New(texts []string) (commands []Command, err error) {
	shell := slices.ContainsFunc(texts, needsShell)
	names := naming(texts)
	for i, text := range texts {
		c := Command{names[i], text, shell, nil}
		switch {
		case strings.TrimSpace(text) == "":
			return nil, errors.New("a command is empty")
		case strings.HasPrefix(strings.TrimSpace(text), "-"):
			return nil, fmt.Errorf("%s is not a command: each argument after -- is a whole command; "+
				"write -- './old -x' './new -x'", text)
		case shell:
			c.args = inShell(text)
		default:
			c.args, _, _ = split(text)
			if _, err := exec.LookPath(c.args[0]); err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
		}
		commands = append(commands, c)
	}
	return commands, nil
}

// Empty returns a command of the shell that does nothing.
func Empty() Command { return Command{Text: shell, InShell: true, args: inShell("exit")} }

// needsShell reports whether the text means something else to a shell than its words, or its first word is no program, and
// so perhaps something that the shell has.
func needsShell(text string) bool {
	words, special, err := split(text)
	if err != nil || special || len(words) == 0 {
		return true
	}
	_, err = exec.LookPath(words[0])
	return err != nil && !strings.ContainsAny(words[0], `/\`)
}

var wordy = regexp.MustCompile(`[^\pL\pN._+=-]+`)

// naming names the commands by their programs if these differ, and else by numbers. The names become parts of the names of
// files.
func naming(texts []string) (names []string) {
	for _, text := range texts {
		name := ""
		if words, _, err := split(text); err == nil && len(words) > 0 {
			name = strings.Trim(wordy.ReplaceAllString(strings.TrimSuffix(filepath.Base(words[0]), ".exe"), "-"), "-.")
		}
		names = append(names, name)
	}
	if sorted := slices.Sorted(slices.Values(names)); sorted[0] != "" && len(slices.Compact(sorted)) == len(names) {
		return names
	}
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}
