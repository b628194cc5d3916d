module github.com/threadcall/threadcall/nativeloop

go 1.25.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/threadcall/threadcall v0.1.0
)
