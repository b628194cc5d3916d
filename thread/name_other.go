//go:build !linux

package thread

func setName(string) {}
