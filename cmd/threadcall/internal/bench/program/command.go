// Package program measures commands as a whole: how long each takes, the CPU time of its processes, and the most memory
// that one of them has.
package program

import (
	"cmp"
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
	Name  string // a word that no other has
	Text  string // as the user has typed it
	args  []string
	shell string // that starts it, or Direct
}

// Direct is the name of the shell that is none: commands are started without one.
const Direct = "none"

// New returns the commands. Names has a name for each, or none.
//
// The shell is a program that takes -c, or Direct. If it is empty, it is Direct where no command needs a shell, and sh (cmd on
// Windows) for all of them where one does: the time that the shell takes to start must not be a difference.
func New(texts, names []string, shell string) (commands []Command, err error) {
	if len(names) > 0 && len(names) != len(texts) {
		return nil, fmt.Errorf("-name was given %d times, and there are %d commands", len(names), len(texts))
	}
	direct := shell == Direct || shell == "" && !slices.ContainsFunc(texts, needsShell)
	names, err = naming(texts, names)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		c := Command{names[i], text, nil, Direct}
		words, _, err := split(text)
		switch {
		case strings.TrimSpace(text) == "":
			return nil, errors.New("a command is empty")
		case strings.HasPrefix(strings.TrimSpace(text), "-"):
			return nil, fmt.Errorf("%s is no command: each argument after -- is a whole command; "+
				"write -- './old -x' './new -x'", text)
		case direct && err != nil:
			return nil, fmt.Errorf("%s: %w", text, err)
		case direct:
			c.args = words
			if _, err := exec.LookPath(words[0]); err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
		default:
			c.shell = cmp.Or(shell, defaultShell)
			c.args = inShell(c.shell, text)
		}
		commands = append(commands, c)
	}
	return commands, nil
}

// InShell reports whether a shell starts the command.
func (c Command) InShell() bool { return c.shell != Direct }

// Empty returns a command of the same shell that does nothing.
func (c Command) Empty() Command {
	return Command{Name: c.Name, Text: c.shell, args: inShell(c.shell, "exit"), shell: c.shell}
}

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

// naming returns the names, or makes them from the commands: of the programs if these differ, and else numbers. They become
// parts of the names of files.
func naming(texts, names []string) ([]string, error) {
	if len(names) == 0 {
		for _, text := range texts {
			name := ""
			if words, _, err := split(text); err == nil && len(words) > 0 {
				name = strings.Trim(wordy.ReplaceAllString(strings.TrimSuffix(filepath.Base(words[0]), ".exe"), "-"), "-.")
			}
			names = append(names, name)
		}
		if sorted := slices.Sorted(slices.Values(names)); sorted[0] != "" && len(slices.Compact(sorted)) == len(names) {
			return names, nil
		}
		for i := range names {
			names[i] = strconv.Itoa(i + 1)
		}
		return names, nil
	}
	for i, name := range names {
		switch {
		case name == "" || wordy.MatchString(name):
			return nil, fmt.Errorf("-name %q: a name consists of letters, digits, and . _ + = -", name)
		case slices.Index(names, name) != i:
			return nil, fmt.Errorf("-name %s is there twice", name)
		}
	}
	return names, nil
}
