package park

import "runtime"

// maxCores is how many cores the process had when it started.
var maxCores = runtime.NumCPU()
