// Package fyne has some functions of the real one, for the tests of the analyzer.
package fyne

type Window interface {
	SetTitle(string)
	Title() string
}

func Do(f func())        {}
func DoAndWait(f func()) {}
