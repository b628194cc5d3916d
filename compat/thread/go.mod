module github.com/threadcall/threadcall/compat/thread

go 1.24.0

require github.com/threadcall/threadcall v0.1.0
