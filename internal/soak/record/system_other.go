//go:build !linux

package record

func fromSystem() (threads, resident float64) { return 0, 0 }

func machine() (processor, kernel string) { return "", "" }
