module github.com/threadcall/threadcall/examples/netns

go 1.26.0

replace (
	github.com/threadcall/threadcall => ../../
	github.com/threadcall/threadcall/examples => ../
)

require (
	github.com/threadcall/threadcall v0.0.0
	github.com/threadcall/threadcall/examples v0.0.0
	github.com/vishvananda/netns v0.0.5
)

require golang.org/x/sys v0.2.0 // indirect
