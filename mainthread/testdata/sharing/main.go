// A program that opens a plugin, and imports package mainthread as the plugin does.
package main

import (
	_ "github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/mainthread/testdata/opener"
)

func main() { opener.Main() }
