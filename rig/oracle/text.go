package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (p *program) String() string { return p.text(nil) }

// text is the form to read and to write by hand, with notes as comments:
//
//	places own pool2
//	goroutine
//		call 0 through { go 1 { panic } sleep 20 goexit }
//
// A body ends with return, which may be left out, panic, error, goexit or goexitpanic. Line ends
// mean nothing.
func (p *program) text(note func(o *op) string) string {
	var b strings.Builder
	b.WriteString("places")
	for _, k := range p.places {
		b.WriteString(" " + kindNames[k])
	}
	b.WriteByte('\n')
	var body func(ops []*op, indent string)
	body = func(ops []*op, indent string) {
		for _, o := range ops {
			line := indent + o.String()
			if o.verb.hasBody() {
				line += " {"
			}
			if note != nil {
				line += strings.Repeat(" ", max(1, 32-len(line)-3*len(indent))) + "// " + note(o)
			}
			b.WriteString(line + "\n")
			if o.verb.hasBody() {
				body(o.body, indent+"\t")
				if o.end != returns {
					b.WriteString(indent + "\t" + endNames[o.end] + "\n")
				}
				b.WriteString(indent + "}\n")
			}
		}
	}
	for _, script := range p.scripts {
		b.WriteString("goroutine\n")
		body(script, "\t")
	}
	return b.String()
}

// String is the operation without its body.
func (o *op) String() string {
	words := []string{verbTable[o.verb].name}
	if o.verb.hasPlace() {
		words = append(words, strconv.Itoa(o.on))
	}
	if o.verb.hasHow() {
		words = append(words, howNames[o.how])
	}
	if o.numbers() != nil {
		words = append(words, strconv.Itoa(o.n))
	}
	if o.through {
		words = append(words, "through")
	}
	return strings.Join(words, " ")
}

// parse reads what text has written, and panics if it was not written so.
func parse(text string) *program {
	t := &tokens{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		t.words = append(t.words, strings.Fields(line)...)
	}
	p := &program{}
	t.require("places")
	for slices.Contains(kindNames[:], t.peek()) {
		p.places = append(p.places, kind(t.name(kindNames[:])))
	}
	for t.peek() != "" {
		t.require("goroutine")
		script, _ := t.body("goroutine")
		p.scripts = append(p.scripts, script)
	}
	p.check()
	return p
}

// tokens are the words that are left.
type tokens struct {
	words []string
	at    int
}

// syntax panics if the words before at cannot stand there.
func (t *tokens) syntax(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("at word %d: %s", t.at, fmt.Sprintf(format, args...)))
	}
}

func (t *tokens) peek() string {
	if t.at < len(t.words) {
		return t.words[t.at]
	}
	return ""
}

func (t *tokens) next() string {
	w := t.peek()
	t.at++
	return w
}

func (t *tokens) require(word string) { t.name([]string{word}) }

// name returns which of names the next word is.
func (t *tokens) name(names []string) int {
	w := t.next()
	i := slices.Index(names, w)
	t.syntax(i >= 0, "%q, want one of %q", w, names)
	return i
}

func (t *tokens) number() int {
	n, err := strconv.Atoi(t.next())
	t.syntax(err == nil, "%v", err)
	return n
}

// body reads operations until the word that closes them, which it leaves, and how they end.
func (t *tokens) body(closing string) (ops []*op, e end) {
	var names []string
	for _, v := range verbTable {
		names = append(names, v.name)
	}
	for {
		switch w := t.peek(); {
		case w == closing, w == "":
			return ops, e
		case slices.Contains(endNames[:], w) && t.at+1 < len(t.words) && t.words[t.at+1] == "}":
			return ops, end(t.name(endNames[:]))
		}
		o := &op{verb: verb(t.name(names))}
		if o.verb.hasPlace() {
			o.on = t.number()
		}
		if o.verb.hasHow() {
			o.how = how(t.name(howNames[:]))
		}
		if numbers := o.numbers(); numbers != nil {
			o.n = t.number()
			t.syntax(slices.Contains(numbers, o.n), "%d, want one of %v", o.n, numbers)
		}
		if o.verb.hasBody() {
			if o.through = t.peek() == "through"; o.through {
				t.at++
			}
			t.require("{")
			o.body, o.end = t.body("}")
			t.require("}")
		}
		ops = append(ops, o)
	}
}
