//go:build !windows

package program

import (
	"errors"
	"strings"
)

const shell = "sh"

func inShell(text string) []string { return []string{shell, "-c", text} }

// split returns the words of a command as a POSIX shell does. It is special if a shell would do more than split it: then the
// words mean nothing.
func split(text string) (words []string, special bool, err error) {
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
			end()
			continue
		case c == '\'':
			closing := strings.IndexByte(text[i+1:], '\'')
			if closing < 0 {
				return nil, true, errors.New("a quotation mark is not closed")
			}
			word.WriteString(text[i+1 : i+1+closing])
			i += 1 + closing
		case c == '"':
			for i++; ; i++ {
				if i >= len(text) {
					return nil, true, errors.New("a quotation mark is not closed")
				}
				if text[i] == '"' {
					break
				}
				special = special || text[i] == '$' || text[i] == '`'
				if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("\\\"$`", text[i+1]) >= 0 {
					i++
				}
				word.WriteByte(text[i])
			}
		case c == '\\':
			if i++; i >= len(text) {
				return nil, true, errors.New("there is nothing behind the backslash")
			}
			word.WriteByte(text[i])
		default:
			special = special || strings.IndexByte("|&;<>()$`*?[]{}!\n", c) >= 0 ||
				!inWord && (c == '~' || c == '#') || len(words) == 0 && c == '='
			word.WriteByte(c)
		}
		inWord = true
	}
	end()
	return words, special, nil
}
