package threadvet

import "regexp"

// Package mainthread: but for a few, functions given to it run on the main thread.
var threadcallMain = &library{
	path: regexp.MustCompile(`^github\.com/threadcall/threadcall/mainthread$`),
	use: func(f function, _ int) use {
		switch f.name {
		case "Init":
			return use{Kind: elsewhere, How: "which mainthread.Init runs on a goroutine"}
		case "OnWake":
			return use{Kind: elsewhere, How: "which mainthread.OnWake runs on any goroutine"}
		case "OnSlowCall":
			return use{Kind: elsewhere, How: "which mainthread.OnSlowCall runs on a goroutine"}
		}
		return use{Kind: onThread, Thread: mainThread, How: "which mainthread." + f.name +
			" runs on the main thread", Later: later(f.name)}
	},
}

// Package thread: functions given to a thread run there. Which thread it is, (*checker).useOf finds
// out.
var threadcallThread = &library{
	path: regexp.MustCompile(`^github\.com/threadcall/threadcall/thread$`),
	use: func(f function, _ int) use {
		switch f.name {
		case "OnWake":
			return use{Kind: elsewhere, How: "which OnWake runs on any goroutine"}
		case "OnSlowCall", "WithSlowCall":
			return use{Kind: elsewhere, How: "which " + f.name + " runs on a goroutine"}
		}
		return use{Kind: onThread, How: "which " + f.String() + " runs", Later: later(f.name)}
	},
}

// Package keyed: functions given to it run on threads of its own.
var threadcallKeyed = &library{
	path: regexp.MustCompile(`^github\.com/threadcall/threadcall/keyed$`),
	use: func(f function, _ int) use {
		return use{Kind: onThread, How: "which keyed." + f.String() + " runs on a thread of its own",
			Later: later(f.name)}
	},
}

// serving are the functions with which the main thread, or another one, runs what was given to it.
var serving = names("Init Serve ServeContext ServeFor OnWake Wait")

// later reports whether the function of that name returns before the function that is given to it
// has run.
func later(name string) bool {
	switch name {
	case "Call", "MustCall", "CallContext", "CallV", "Eval", "MustEval", "CallWith", "EvalContext",
		"Wait":
		return false
	}
	return true
}

func runs(name string) use {
	return use{Kind: onThread, Thread: mainThread, How: "which " + name + " runs on the main thread"}
}

func runsLater(name string) use {
	return use{Kind: onThread, Thread: mainThread, How: "which " + name + " runs on the main thread",
		Later: true}
}

func goes(name string) use {
	return use{Kind: elsewhere, How: "which " + name + " runs on a goroutine"}
}

var faiface = &library{
	path:   regexp.MustCompile(`^github\.com/(faiface|gopxl)/mainthread(/v2)?$`),
	nested: oneOf(names("Call CallErr CallVal")),
	use: uses(map[string]use{
		"Run": goes("mainthread.Run"), "Call": runs("mainthread.Call"),
		"CallErr": runs("mainthread.CallErr"),
		"CallVal": runs("mainthread.CallVal"), "CallNonBlock": runsLater("mainthread.CallNonBlock"),
	}),
}

var pixelgl = &library{
	path: regexp.MustCompile(`^github\.com/(faiface/pixel/pixelgl|` +
		`gopxl/pixel(/v2)?/(pixelgl|backends/opengl))$`),
	use: uses(map[string]use{"Run": goes("Run")}),
}

var golangDesign = &library{
	path:   regexp.MustCompile(`^golang\.design/x/(runtime/)?mainthread$`),
	nested: oneOf(names("Call CallV")),
	use: uses(map[string]use{
		"Init": goes("mainthread.Init"), "Call": runs("mainthread.Call"),
		"CallV": runs("mainthread.CallV"), "Go": runsLater("mainthread.Go"),
	}),
}

var golangDesignThread = &library{
	path: regexp.MustCompile(`^golang\.design/x/(runtime/)?thread$`),
	use: func(f function, _ int) use {
		return use{Kind: onThread, How: "which " + f.String() + " runs on a thread of its own",
			Later: later(f.name)}
	},
}

var hotkey = &library{
	path: regexp.MustCompile(`^golang\.design/x/hotkey/mainthread$`),
	use:  uses(map[string]use{"Init": goes("mainthread.Init"), "Call": runs("mainthread.Call")}),
}

var std = &library{
	path: regexp.MustCompile(`^(sync|time|context|runtime|testing|slices|maps|sort|strings|` +
		`path/filepath|io/fs|runtime/pprof)$`),
	use: func(f function, _ int) use {
		return stdUses[f.obj.Pkg().Path()+"."+f.String()]
	},
}

// stdUses are of functions that run others on goroutines, and in place.
var stdUses = func() map[string]use {
	table := map[string]use{}
	for name := range names(`sync.WaitGroup.Go time.AfterFunc context.AfterFunc runtime.SetFinalizer
		runtime.AddCleanup testing.T.Run testing.B.Run testing.B.RunParallel testing.F.Fuzz`) {
		table[name] = goes(name)
	}
	for name := range names(`sync.Once.Do sync.Map.Range slices.SortFunc slices.SortStableFunc
		slices.ContainsFunc slices.IndexFunc slices.DeleteFunc maps.DeleteFunc sort.Slice
		sort.SliceStable sort.Search strings.Map strings.FieldsFunc strings.IndexFunc
		path/filepath.Walk path/filepath.WalkDir io/fs.WalkDir runtime/pprof.Do`) {
		table[name] = use{Kind: inPlace}
	}
	return table
}()

var netHTTP = &library{
	path: regexp.MustCompile(`^net/http$`),
	use: uses(map[string]use{
		"HandleFunc": goes("an HTTP server"), "ServeMux.HandleFunc": goes("an HTTP server"),
		"HandlerFunc": goes("an HTTP server"),
	}),
}

var errgroupLibrary = &library{
	path: regexp.MustCompile(`^golang\.org/x/sync/errgroup$`),
	use: uses(map[string]use{"Group.Go": goes("errgroup.Group.Go"),
		"Group.TryGo": goes("errgroup.Group.TryGo")}),
}
