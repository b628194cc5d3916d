// Package oracle tests package thread with random programs. A program is a few goroutines that hand
// functions to threads; the functions do the same in turn. Everything that happens when it runs is
// compared with what a sequential model of the ten promises allows. Nothing outside its own tests
// uses it.
//
//	program_test.go    what a program is
//	text_test.go       its text form
//	generate_test.go   programs made at random
//	model_test.go      what each operation may answer
//	place_test.go      the threads, pools, keys and external event loops that a program runs on
//	labels.go          the profiler labels that functions run under
//	pull_test.go       coroutines
//	execute_test.go    running a program, with checks on the way
//	check_test.go      checks when all is quiet
package oracle
