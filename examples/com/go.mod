module github.com/threadcall/threadcall/examples/com

go 1.26.0

replace (
	github.com/threadcall/threadcall => ../../
	github.com/threadcall/threadcall/examples => ../
)

require (
	github.com/go-ole/go-ole v1.3.0
	github.com/threadcall/threadcall v0.0.0
	github.com/threadcall/threadcall/examples v0.0.0
)

require golang.org/x/sys v0.1.0 // indirect
