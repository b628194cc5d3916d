package program

import "strings"

const shell = "cmd"

func inShell(text string) []string { return []string{shell, "/c", text} }

// split returns the words of a command, of which double quotation marks hold blanks. It is special if cmd would do more than
// split it: then the words mean nothing.
func split(text string) (words []string, special bool, err error) {
	var word strings.Builder
	inWord, quoted := false, false
	for _, c := range text {
		switch {
		case c == '"':
			quoted, inWord = !quoted, true
		case (c == ' ' || c == '\t') && !quoted:
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			special = special || c == '%' || !quoted && strings.ContainsRune("|&<>^()\n", c)
			word.WriteRune(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, special, nil
}
