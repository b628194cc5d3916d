//go:build !(linux || freebsd || netbsd || openbsd) || (wayland && !x11)

package app

func watchX11() error       { return nil }
func unwatchX11()           {}
func wakeForEvents()        {}
func setWaiting(bool)       {}
func eventsQueued() bool    { return false }
func waitInC() (end func()) { return func() {} }
func inScheduler() bool     { return false }
