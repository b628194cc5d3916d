package main

import (
	"runtime"

	"github.com/threadcall/threadcall/internal/workload"
)

// A load is measured on threadcall, on the reference and on the floor.
type load struct {
	name        string
	run         workload.Pattern
	longer      int // how many times as long as others it takes; zero is once
	comparisons []comparison

	// around, if not nil, prepares for one measurement.
	around func() (end func(), err error)
	// floor, if not nil, is what threadcall cannot do better than; false if it cannot be measured here.
	floor func(x workload.Extent) (r workload.Result, ok bool)
	// noReference is set where the reference would deadlock.
	noReference bool
}

// A comparison is a row of the table.
type comparison struct {
	name  string
	goal  string // the limits in words
	peer  peer
	value func(workload.Result) float64 // what is compared; nil is Time

	// The limits: of ratios of threadcall to its peer, where 1 is "no worse", and of threadcall's value itself. Zero
	// is none. Who stays below proud has done more than was asked.
	ratio, proud, cpu, p99 float64
	most                   float64
}

type peer int

const (
	theReference peer = iota
	theFloor
)

var loads = []load{
	{name: "hot", run: workload.Hot, floor: workload.Floor, comparisons: []comparison{
		{name: "hot", goal: "1/50 (1/150)", ratio: 1. / 50, proud: 1. / 150},
		{name: "hot, to floor", goal: "1.5", peer: theFloor, ratio: 1.5},
	}},
	{name: "idle", run: workload.Idle, longer: 2, comparisons: []comparison{
		{name: "idle", goal: "1/4, cpu 1.2, p99 1", ratio: 1. / 4, cpu: 1.2, p99: 1},
	}},
	{name: "burst", run: workload.Burst, longer: 2, comparisons: []comparison{
		{name: "burst", goal: "1/10 (1/40), cpu 1/4", ratio: 1. / 10, proud: 1. / 40, cpu: 1. / 4},
	}},
	{name: "contended/16", run: workload.Contended(16), comparisons: []comparison{
		{name: "contended/16", goal: "1/30", ratio: 1. / 30},
	}},
	{name: "contended/256", run: workload.Contended(256), comparisons: []comparison{
		{name: "contended/256", goal: "1/30", ratio: 1. / 30},
	}},
	{name: "contended/4096", run: workload.Contended(4096), comparisons: []comparison{
		{name: "contended/4096", goal: "1/30", ratio: 1. / 30},
	}},
	{name: "post", run: workload.Post, comparisons: []comparison{
		{name: "post", goal: "1/50", ratio: 1. / 50},
	}},
	{name: "busy", run: workload.Busy, longer: 4, comparisons: []comparison{
		{name: "busy", goal: "1", ratio: 1},
		{name: "busy, lost", goal: "3 %", value: lost, most: 0.03},
	}},
	{name: "neighbours", run: workload.Burst, longer: 4, around: neighbours, comparisons: []comparison{
		{name: "neighbours", goal: "1, cpu 1", ratio: 1, cpu: 1},
	}},
	{name: "nested", run: workload.Nested, floor: plain, noReference: true, comparisons: []comparison{
		{name: "nested, to plain", goal: "5, 10 ns", peer: theFloor, ratio: 5, most: 10},
	}},
	{name: "oneP", run: workload.Hot, around: oneP, comparisons: []comparison{
		{name: "GOMAXPROCS=1", goal: "1", ratio: 1},
	}},
}

func plain(x workload.Extent) (workload.Result, bool) { return workload.Indirect(x), true }

func neighbours() (end func(), err error) { return workload.StartNeighbours() }

func oneP() (end func(), err error) {
	procs := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(procs) }, nil
}

func lost(r workload.Result) float64 { return r.Lost }
