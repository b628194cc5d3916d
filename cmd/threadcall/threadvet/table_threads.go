package threadvet

// Package mainthread: but for a few, functions given to it run on the main thread.
var threadcallMain = &library{
	Packages: patterns{"github.com/threadcall/threadcall/mainthread"},
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
	Packages: patterns{"github.com/threadcall/threadcall/thread"},
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
	Packages: patterns{"github.com/threadcall/threadcall/keyed"},
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

var golangDesignThread = &library{
	Packages: patterns{"golang.design/x/thread", "golang.design/x/runtime/thread"},
	use: func(f function, _ int) use {
		return use{Kind: onThread, How: "which " + f.String() + " runs on a thread of its own",
			Later: later(f.name)}
	},
}
