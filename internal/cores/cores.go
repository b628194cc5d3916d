// Package cores has the core that the caller is on, and which and how many the process may use.
package cores

import "runtime"

// atStart is how many cores the process had when it started.
var atStart = runtime.NumCPU()
