// Package trace reads execution traces of the Go runtime and reports what they say about the heap, the collector,
// goroutines, threads, and the calls of threadcall.
//
// [Read] takes events as they come and keeps sums, not events: read.go hands them to the analyses, each of which is in a file
// of its own. report.go says what they find.
package trace
