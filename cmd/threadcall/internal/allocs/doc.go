// Package allocs finds what allocates: where, how much for each operation, and the compiler's
// reason. build.go compiles tests with package hook, measure.go runs them, rows.go joins what they
// allocated with the compiler's log; promises.go checks what package budget finds, and text.go
// writes all reports. docs/command.md says how they work together.
package allocs
