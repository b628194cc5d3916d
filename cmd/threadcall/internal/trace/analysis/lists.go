package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// The limits of lists in a report.
const (
	maxPlaces    = 500 // of waits, of calls
	maxFunctions = 200
	shown        = 10 // slow calls, goroutines, places that end waits or make many ready
)

// first returns the values of a map with the greatest weights, at most limit. It is never nil,
// which would be null in JSON.
func first[K comparable, T any](limit int, all map[K]*T, weight func(*T) float64) []T {
	list := []T{}
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b K) int {
		if heavier := cmp.Compare(weight(all[b]), weight(all[a])); heavier != 0 {
			return heavier
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) // in each run the same
	}) {
		if len(list) < limit {
			list = append(list, *all[key])
		}
	}
	return list
}

// entry returns what a map has for a key, at first a copy of initial.
func entry[K comparable, T any](all map[K]*T, key K, initial T) *T {
	if all[key] == nil {
		all[key] = new(T)
		*all[key] = initial
	}
	return all[key]
}
