module github.com/threadcall/threadcall/examples/cuda

go 1.26.0

replace github.com/threadcall/threadcall => ../../

require (
	github.com/ebitengine/purego v0.11.3
	github.com/threadcall/threadcall v0.0.0
)
