module github.com/threadcall/threadcall

go 1.24
