// A program that opens a plugin, and does not import package mainthread.
package main

import "github.com/threadcall/threadcall/mainthread/testdata/opener"

func main() { opener.Main() }
