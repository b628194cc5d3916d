//go:build !linux

package record

func machine() (processor, kernel string) { return "", "" }
