package list

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A list is in the order of a slice that is changed alike, forwards and backwards.
func TestList(t *testing.T) {
	var l List[int]
	nodes := make([]Node[int], 10)
	for i := range nodes {
		nodes[i].Value = i
	}
	var want []int
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		i := rng.IntN(len(nodes))
		n, at := &nodes[i], slices.Index(want, i)
		switch {
		case at >= 0:
			want = slices.Delete(want, at, at+1)
			if !n.Listed() || !n.Remove() {
				t.Fatalf("%d is not in the list of %v", i, want)
			}
		case len(want) > 0 && rng.IntN(3) > 0:
			before := rng.IntN(len(want))
			l.Insert(n, &nodes[want[before]])
			want = slices.Insert(want, before+1, i)
		case rng.IntN(2) > 0:
			l.Insert(n, nil)
			want = slices.Insert(want, 0, i)
		default:
			l.Append(n)
			want = append(want, i)
		}
		var forwards, backwards []int
		for n := l.First; n != nil; n = n.After {
			forwards = append(forwards, n.Value)
		}
		for n := l.Last; n != nil; n = n.Before {
			backwards = append(backwards, n.Value)
		}
		slices.Reverse(backwards)
		if !slices.Equal(forwards, want) || !slices.Equal(backwards, want) || l.Len != len(want) {
			t.Fatalf("%v, backwards %v, %d; want %v", forwards, backwards, l.Len, want)
		}
	}
	if n := new(Node[int]); n.Listed() || n.Remove() {
		t.Error("a new node was in a list")
	}
}
