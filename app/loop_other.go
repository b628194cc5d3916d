//go:build !windows

package app

func attach() (detach func()) { return attachByEvents() }
