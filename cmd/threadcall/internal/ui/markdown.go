package ui

import "strings"

var alignments = map[rune]string{'l': "---", 'r': "---:", 'c': ":-:"}

// Markdown returns a table in the Markdown of GitHub. The first row is the heading, and align has a
// letter for each column: l, r or c. The cells are Markdown: see Escape and Code.
func Markdown(align string, rows ...[]string) string {
	var rule []string
	for _, a := range align {
		rule = append(rule, alignments[a])
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("| " + strings.Join(rule, " | ") + " |\n")
		}
	}
	return b.String()
}

var special = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`,
	"|", `\|`, "~", `\~`, "#", `\#`, "@", "@\u2060", "\n", " ")

// Escape makes text one line of Markdown that looks as it is. A name after @ would notify its
// bearer.
func Escape(text string) string { return special.Replace(text) }

// Code returns text as code in Markdown, also in a cell of a table.
func Code(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	if strings.Contains(text, "`") {
		return Escape(text)
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}
