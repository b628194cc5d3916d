// Package vet has the JSON document of threadcall vet, which is a list of findings.
package vet

import "github.com/threadcall/threadcall/cmd/threadcall/report"

// A Finding is one report of the analyzer.
type Finding struct {
	report.Position
	Package  string `json:"package"`
	Category string `json:"category"` // the thread, or what else is wrong
	Message  string `json:"message"`
}
