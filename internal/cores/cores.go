// Package cores has the core that the caller is on, and which and how many the process may use.
package cores

import "runtime"

var atStart = runtime.NumCPU()
