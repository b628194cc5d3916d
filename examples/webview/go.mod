module github.com/threadcall/threadcall/examples/webview

go 1.26.0

replace (
	github.com/threadcall/threadcall => ../../
	github.com/threadcall/threadcall/examples => ../
)

require (
	github.com/threadcall/threadcall v0.0.0
	github.com/threadcall/threadcall/examples v0.0.0
)
