package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/go-ole/go-ole"
	"github.com/go-ole/go-ole/oleutil"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/thread"
)

func main() {
	fs, err := start()
	if err != nil {
		log.Fatal("com: ", err)
	}
	for _, path := range []string{`C:\windows`, `C:\missing`} {
		there, err := fs.exists(path)
		fmt.Println("com:", path, "exists:", there, err)
	}
	ok := check.Calls("com", func() bool {
		there, err := fs.exists(`C:\windows`)
		return there && err == nil
	})
	fs.thread.Close()
	if !ok {
		os.Exit(1)
	}
}

// A fileSystem is an object of COM, Scripting.FileSystemObject, that lives in the single-threaded
// apartment of a thread of its own: other threads must not touch it.
type fileSystem struct {
	thread *thread.Thread
	exists func(folder string) (bool, error) // may be called from any goroutine
}

func start() (*fileSystem, error) {
	var object *ole.IDispatch
	t, err := thread.Start(
		thread.WithName("com"),
		thread.WithStart(func() (err error) { object, err = enter(); return err }),
		thread.WithStop(func() { leave(object) }),
	)
	if err != nil {
		return nil, err
	}
	exists := func(folder string) (there bool, err error) {
		ended := t.CallContext(context.Background(),
			func() { there, err = folderExists(object, folder) })
		return there, cmp.Or(ended, err)
	}
	return &fileSystem{t, exists}, nil
}

// enter makes the calling thread an apartment and an object in it.
func enter() (*ole.IDispatch, error) {
	if err := ole.CoInitializeEx(0, ole.COINIT_APARTMENTTHREADED); err != nil {
		return nil, err
	}
	object, err := create()
	if err != nil {
		ole.CoUninitialize()
	}
	return object, err
}

func create() (*ole.IDispatch, error) {
	unknown, err := oleutil.CreateObject("Scripting.FileSystemObject")
	if err != nil {
		return nil, err
	}
	defer unknown.Release()
	return unknown.QueryInterface(ole.IID_IDispatch)
}

// leave undoes enter, on the same thread.
func leave(object *ole.IDispatch) {
	object.Release()
	ole.CoUninitialize()
}

func folderExists(object *ole.IDispatch, path string) (bool, error) {
	result, err := oleutil.CallMethod(object, "FolderExists", path)
	if err != nil {
		return false, err
	}
	defer result.Clear()
	there, _ := result.Value().(bool)
	return there, nil
}
