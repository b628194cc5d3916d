package stats

import (
	"fmt"
	"strconv"
	"strings"
)

// RoundLine returns the line, without its end, that a file of results has before those of a round. Other readers of the
// benchmark format ignore it. The run is one word that no other run has: results of two files are pairs if they have the
// same run and round.
func RoundLine(run string, round int) string {
	return fmt.Sprintf("# threadcall run %s round %d", run, round)
}

func parseRound(line string) (run string, round int, ok bool) {
	f := strings.Fields(line)
	if len(f) != 6 || f[0] != "#" || f[1] != "threadcall" || f[2] != "run" || f[4] != "round" {
		return "", 0, false
	}
	round, err := strconv.Atoi(f[5])
	return f[3], round, err == nil && round >= 0
}
