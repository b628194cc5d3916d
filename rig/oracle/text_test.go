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
	var t tokens
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		t = append(t, strings.Fields(line)...)
	}
	t = append(t, "")
	p := &program{}
	t.next("places")
	for slices.Contains(kindNames[:], t[0]) {
		p.places = append(p.places, kind(t.next(kindNames[:]...)))
	}
	for t[0] != "" {
		t.next("goroutine")
		script, _ := t.body("goroutine")
		p.scripts = append(p.scripts, script)
	}
	p.check()
	return p
}

// tokens are the words that are left, and an empty one.
type tokens []string

// next takes the next word, and returns which of those it is that can stand there.
func (t *tokens) next(words ...string) int {
	i := slices.Index(words, (*t)[0])
	if i < 0 {
		panic(fmt.Sprintf("want one of %q, before %q", words, *t))
	}
	*t = (*t)[1:]
	return i
}

// number takes one of these numbers.
func (t *tokens) number(numbers []int) int {
	return numbers[t.next(strings.Fields(strings.Trim(fmt.Sprint(numbers), "[]"))...)]
}

// body reads operations until the word that closes them, which it leaves, and how they end.
func (t *tokens) body(closing string) (ops []*op, e end) {
	var names []string
	for _, v := range verbTable {
		names = append(names, v.name)
	}
	for {
		switch w := (*t)[0]; {
		case w == closing, w == "":
			return ops, e
		case slices.Contains(endNames[:], w) && (*t)[1] == "}":
			return ops, end(t.next(endNames[:]...))
		}
		o := &op{verb: verb(t.next(names...))}
		if o.verb.hasPlace() {
			o.on = t.number([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
		}
		if o.verb.hasHow() {
			o.how = how(t.next(howNames[:]...))
		}
		if numbers := o.numbers(); numbers != nil {
			o.n = t.number(numbers)
		}
		if o.verb.hasBody() {
			if o.through = (*t)[0] == "through"; o.through {
				t.next("through")
			}
			t.next("{")
			o.body, o.end = t.body("}")
			t.next("}")
		}
		ops = append(ops, o)
	}
}
