package recorder

var RemoveOldest = func(dir string, files int) error { return removeOldest(dir, slowPrefix, files) }
