// Package allocs finds what allocates: where, how much for each operation, and the compiler's
// reason.
//
// A run has three steps, and data goes down:
//
//   - build.go compiles the tests of each package once, by the go command's -overlay, so that no
//     file is changed. The overlay adds package hook to the module and calls of it to the test
//     files; hook sets the profile's rate to 1 and writes the profile at the end. At the same time
//     the compiler writes its log of what escapes, which package escape reads.
//   - measure.go runs the binary: without a profile for the headline, which go test -benchmem
//     prints, and with a profile for n and for 2n operations until two pairs agree. Package heap
//     takes the difference of the two profiles: what one operation allocates, by stack, and what is
//     allocated once.
//   - rows.go joins both: a row is a place of the user's code and a kind of object, with the
//     compiler's reason for that line and chain of inlined calls. It ends with a row for what the
//     headline has and the profile has not.
//
// versus.go makes the run in a worktree of a revision as well, and pairs the rows. promises.go adds
// the checks of package budget: it reads the compiler's listing for calls of functions of the
// runtime that allocate, compiles the tests once more with promising functions that report their
// calls, and judges the measurements. text.go writes all reports.
package allocs
