package analysis

import (
	"maps"
	"slices"
	"sort"
	"time"
)

// The limits of lists in a report.
const (
	maxPlaces    = 500 // of waits, of calls
	maxTaskTypes = 1000
	maxFunctions = 200
	maxLocked    = 100
	shown        = 10 // calls, stops, places that end waits
)

// first returns the first values of a map in an order, at most limit. It is never nil, which would
// be null in JSON.
func first[K comparable, T any](limit int, all map[K]*T, order func(a, b *T) int) []T {
	list := []T{}
	for _, x := range slices.SortedFunc(maps.Values(all), order) {
		if len(list) < limit {
			list = append(list, *x)
		}
	}
	return list
}

// keepLongest adds x to a list of the longest, the longest first. Of equal ones the first stay.
func keepLongest[T any](list []T, x T, length func(T) time.Duration) []T {
	i := sort.Search(len(list), func(i int) bool { return length(x) > length(list[i]) })
	if i == shown {
		return list
	}
	list = slices.Insert(list, i, x)
	return list[:min(len(list), shown)]
}
