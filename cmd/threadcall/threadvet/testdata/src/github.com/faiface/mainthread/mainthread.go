// Package mainthread has the functions of the real one, for the tests of the analyzer.
package mainthread

import "runtime"

func init() { runtime.LockOSThread() }

func Run(run func())               {}
func Call(f func())                {}
func CallNonBlock(f func())        {}
func CallErr(f func() error) error { return nil }
