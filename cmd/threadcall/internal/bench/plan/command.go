package plan

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A Command is one of those that are compared.
type Command struct {
	Name string   // a word that no other has
	Text string   // as the user has typed it
	Args []string // of the process
}

// NewCommands returns the commands. If one of them needs a shell, sh (cmd on Windows) starts all of
// them: the time that the shell takes to start must not be a difference.
func NewCommands(texts []string) (commands []Command, err error) {
	shell := slices.ContainsFunc(texts, needsShell)
	names := naming(texts)
	for i, text := range texts {
		c := Command{names[i], text, strings.Fields(text)}
		switch {
		case len(c.Args) == 0:
			return nil, errors.New("a command is empty")
		case strings.HasPrefix(c.Args[0], "-"):
			return nil, fmt.Errorf("%s is not a command: each argument after -- is a whole "+
				"command; write -- './old -x' './new -x'", text)
		case shell:
			c.Args = InShell(text)
		default:
			if _, err := exec.LookPath(c.Args[0]); err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
		}
		commands = append(commands, c)
	}
	return commands, nil
}

// InShell returns the arguments of a process that runs the text by the system's shell.
func InShell(text string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", text}
	}
	return []string{"sh", "-c", text}
}

// needsShell reports whether the text means something else to a shell than its words, or its first
// word is not a program, and so perhaps something that the shell has.
func needsShell(text string) bool {
	special := "|&;<>()$`\\\"'*?[]{}!~#\n"
	if runtime.GOOS == "windows" {
		special = "|&<>()%^\"\n" // a backslash is a part of a path
	}
	words := strings.Fields(text)
	if len(words) == 0 || strings.ContainsAny(text, special) || strings.Contains(words[0], "=") {
		return true
	}
	_, err := exec.LookPath(words[0])
	return err != nil && !strings.ContainsAny(words[0], `/\`)
}

var unfit = regexp.MustCompile(`[^\pL\pN._+=-]+`)

// fit makes a name that can be a part of a file's name.
func fit(name string) string { return strings.Trim(unfit.ReplaceAllString(name, "-"), "-.") }

// naming names the commands by their programs if these differ, and else by numbers.
func naming(texts []string) (names []string) {
	for _, text := range texts {
		name := ""
		if words := strings.Fields(text); len(words) > 0 {
			name = fit(strings.TrimSuffix(filepath.Base(words[0]), ".exe"))
		}
		names = append(names, name)
	}
	sorted := slices.Sorted(slices.Values(names))
	if sorted[0] != "" && len(slices.Compact(sorted)) == len(names) {
		return names
	}
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}
