package paper

// A Claim is a statement of an article beside what was found.
type Claim struct {
	Says    string  // the article, its number included
	Here    string  // what was found
	Verdict Verdict // what follows
	Why     string  // one sentence or none, without its point
}

// A Verdict is what an experiment made of a claim.
type Verdict string

// The verdicts.
const (
	Reproduced    Verdict = "reproduced"
	Changed       Verdict = "no longer so"
	NotReproduced Verdict = "not reproduced"
	Undecided     Verdict = "this run cannot tell"
	NotComparable Verdict = "not comparable"
)

// Claims writes a table of claims.
func Claims(claims []Claim) string {
	rows := make([][]string, len(claims))
	for i, c := range claims {
		verdict := "**" + string(c.Verdict) + "**"
		if c.Why != "" {
			verdict += ": " + c.Why
		}
		rows[i] = []string{c.Says, c.Here, verdict}
	}
	return Table([]string{"the article says", "here", ""}, rows)
}
