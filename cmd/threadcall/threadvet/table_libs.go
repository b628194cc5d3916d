package threadvet

import (
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions of GLFW for which its manual has "This function must only be called from the main
// thread". Those that are not here may be called from any thread, among them PostEmptyEvent,
// GetTime, Window.MakeContextCurrent, Window.SwapBuffers, SwapInterval, Window.ShouldClose and
// SetShouldClose, the user pointers, GetProcAddress and what is for Vulkan.
var glfw = &library{
	path: regexp.MustCompile(`^github\.com/go-gl/glfw/v3\.\d+/glfw$`),
	main: oneOf(names(`
		Init Terminate InitHint SetErrorCallback GetMonitors GetPrimaryMonitor SetMonitorCallback
		Monitor.GetPos Monitor.GetWorkarea Monitor.GetPhysicalSize Monitor.GetContentScale
		Monitor.GetName Monitor.GetVideoModes Monitor.GetVideoMode Monitor.SetGamma
		Monitor.GetGammaRamp Monitor.SetGammaRamp DefaultWindowHints WindowHint WindowHintString
		CreateWindow Window.Destroy Window.SetTitle Window.GetTitle Window.SetIcon Window.GetPos
		Window.SetPos Window.GetSize Window.SetSizeLimits Window.SetAspectRatio Window.SetSize
		Window.GetFramebufferSize Window.GetFrameSize Window.GetContentScale Window.GetOpacity
		Window.SetOpacity Window.Iconify Window.Restore Window.Maximize Window.Show Window.Hide
		Window.Focus Window.RequestAttention Window.GetMonitor Window.SetMonitor Window.GetAttrib
		Window.SetAttrib Window.SetPosCallback Window.SetSizeCallback Window.SetCloseCallback
		Window.SetRefreshCallback Window.SetFocusCallback Window.SetIconifyCallback
		Window.SetMaximizeCallback Window.SetFramebufferSizeCallback
		Window.SetContentScaleCallback PollEvents WaitEvents WaitEventsTimeout Window.GetInputMode
		Window.SetInputMode RawMouseMotionSupported GetKeyName Window.GetKey Window.GetMouseButton
		Window.GetCursorPos Window.SetCursorPos CreateCursor CreateStandardCursor Cursor.Destroy
		Window.SetCursor Window.SetKeyCallback Window.SetCharCallback Window.SetCharModsCallback
		Window.SetMouseButtonCallback Window.SetCursorPosCallback Window.SetCursorEnterCallback
		Window.SetScrollCallback Window.SetDropCallback Joystick.Present Joystick.GetAxes
		Joystick.GetButtons Joystick.GetHats Joystick.GetName Joystick.GetGUID Joystick.IsGamepad
		Joystick.GetGamepadName Joystick.GetGamepadState SetJoystickCallback UpdateGamepadMappings
		JoystickPresent GetJoystickAxes GetJoystickButtons GetJoystickName SetClipboardString
		GetClipboardString Window.SetClipboardString Window.GetClipboardString
	`)),
	use: func(f function, _ int) use {
		if strings.HasPrefix(f.name, "Set") && strings.HasSuffix(f.name, "Callback") {
			return use{Kind: onThread, Thread: mainThread, How: "which GLFW calls on the main thread",
				Later: true}
		}
		return use{}
	},
}

// Functions of SDL for windows, events, renderers, cursors and the clipboard. Those for audio,
// timers, surfaces and PushEvent may be called from any thread, those for OpenGL contexts from the
// thread that has the context.
var sdl = &library{
	path: regexp.MustCompile(`^github\.com/veandco/go-sdl2/sdl$`),
	main: func(f function) bool {
		switch f.recv {
		case "Renderer":
			return true
		case "Texture":
			return f.name != "GetTextureUserData" && f.name != "SetTextureUserData"
		case "Window":
			return !strings.HasPrefix(f.name, "GL") && !strings.HasPrefix(f.name, "Vulkan") &&
				f.name != "GetData" && f.name != "SetData" && f.name != "GetID" && f.name != "GetFlags"
		}
		return sdlMain[f.String()]
	},
	when: func(f function, c *ssa.CallCommon) bool {
		const video = 0x20 // INIT_VIDEO
		return f.name != "Init" && f.name != "InitSubSystem" || f.recv != "" || c != nil &&
			hasFlag(c, video)
	},
	nested: oneOf(names("Do")),
	use: uses(map[string]use{
		"Main": {Kind: elsewhere, How: "which sdl.Main runs on a goroutine"},
		"Do":   {Kind: onThread, Thread: mainThread, How: "which sdl.Do runs on the main thread"},
	}),
}

var sdlMain = names(`
	Init InitSubSystem VideoInit VideoQuit PumpEvents PollEvent WaitEvent WaitEventTimeout
	CreateWindow CreateWindowAndRenderer CreateWindowFrom CreateShapedWindow CreateRenderer
	GetNumVideoDisplays GetDisplayName GetDisplayBounds GetDisplayUsableBounds GetDisplayDPI
	GetNumDisplayModes GetDisplayMode GetDesktopDisplayMode GetCurrentDisplayMode
	GetClosestDisplayMode EnableScreenSaver DisableScreenSaver IsScreenSaverEnabled StartTextInput
	StopTextInput SetTextInputRect ClearComposition CreateCursor CreateColorCursor
	CreateSystemCursor SetCursor ShowCursor FreeCursor SetRelativeMouseMode CaptureMouse
	WarpMouseGlobal GetClipboardText SetClipboardText HasClipboardText ShowMessageBox
	ShowSimpleMessageBox
`)

// The AppKit of darwinkit, once named macdriver: all that derives from NSResponder, so
// applications, windows, views and controllers, and some others.
var cocoa = &library{
	path: regexp.MustCompile(`^github\.com/progrium/(darwinkit|macdriver)/(macos/appkit|cocoa)$`),
	main: func(f function) bool {
		if f.recv != "" {
			return !strings.HasPrefix(f.recv, "_") && appKit(f.obj.Signature().Recv().Type(), 0) &&
				f.name != "PostEventAtStart"
		}
		results := f.obj.Signature().Results()
		return (strings.HasPrefix(f.name, "New") || strings.Contains(f.name, "_") ||
			strings.HasPrefix(f.name, "NS")) &&
			results.Len() == 1 && appKit(results.At(0).Type(), 0)
	},
	use: func(f function, _ int) use {
		if strings.HasSuffix(f.recv, "Delegate") && strings.HasPrefix(f.name, "Set") {
			return use{Kind: onThread, Thread: mainThread, How: "which AppKit calls on the main thread",
				Later: true}
		}
		return use{}
	},
}

var appKitTypes = names(`
	Responder Menu MenuItem StatusBar StatusItem Alert Toolbar ToolbarItem Cursor NSResponder
	NSApplication NSWindow NSView NSMenu NSMenuItem NSStatusBar NSStatusItem NSAlert NSToolbar
	NSCursor
`)

// appKit reports whether t is one of these types or embeds one.
func appKit(t types.Type, depth int) bool {
	if appKitTypes[typeName(t)] {
		return true
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	return ok && depth < 10 && s.NumFields() > 0 && s.Field(0).Embedded() &&
		appKit(s.Field(0).Type(), depth+1)
}

var macos = &library{
	path: regexp.MustCompile(`^github\.com/progrium/(darwinkit|macdriver)/(macos|helper/action)$`),
	use: uses(map[string]use{
		"RunApp": {Kind: onThread, Thread: mainThread, How: "which AppKit calls on the main thread"},
		"Set": {Kind: onThread, Thread: mainThread, How: "which AppKit calls on the main thread",
			Later: true},
	}),
}

// The queue decides which thread it is, see (*checker).useOf.
var dispatchQueue = &library{
	path: regexp.MustCompile(`^github\.com/progrium/(darwinkit|macdriver)/dispatch$`),
}

// Fyne since 2.6, which has Do: widgets and windows change on the main goroutine only.
var fyne = &library{
	path:  regexp.MustCompile(`^fyne\.io/fyne/v2$`),
	tests: true,
	main: func(f function) bool {
		if f.obj.Pkg().Scope().Lookup("Do") == nil {
			return false
		}
		switch f.recv {
		case "Window":
			return fyneWindow[f.name]
		case "CanvasObject", "Widget", "Canvas", "Container", "Focusable", "Disableable":
			return fyneChanges(f.name)
		}
		return false
	},
	use: uses(map[string]use{
		"Do": {Kind: onThread, Thread: mainThread, How: "which fyne.Do runs on the main thread",
			Later: true},
		"DoAndWait": {Kind: onThread, Thread: mainThread, How: "which fyne.DoAndWait runs on the main " +
			"thread"},
	}),
}

var fyneParts = &library{
	path:  regexp.MustCompile(`^fyne\.io/fyne/v2/(widget|container|canvas|dialog)$`),
	tests: true,
	main: func(f function) bool {
		if f.recv == "" || !fyneChanges(f.name) {
			return false
		}
		for _, p := range f.obj.Pkg().Imports() {
			if p.Path() == "fyne.io/fyne/v2" {
				return p.Scope().Lookup("Do") != nil
			}
		}
		return false
	},
}

// What the driver for tests does, it does on the goroutine of the test.
var fyneTest = &library{path: regexp.MustCompile(`^fyne\.io/fyne/v2/test$`)}

var fyneWindow = names(`
	Show Hide Close Resize SetTitle SetFullScreen SetContent SetMainMenu SetIcon SetPadded
	SetFixedSize SetMaster CenterOnScreen RequestFocus ShowAndRun
`)

func fyneChanges(name string) bool {
	switch name {
	case "Show", "Hide", "Refresh", "Resize", "Move", "Append", "Prepend", "Remove", "RemoveAll",
		"RemoveIndex", "Add", "AddObject",
		"Enable", "Disable", "Select", "SelectIndex", "Unselect", "UnselectAll", "ScrollTo",
		"ScrollToTop", "ScrollToBottom", "Focus", "Unfocus":
		return true
	}
	return strings.HasPrefix(name, "Set") && !strings.HasPrefix(name, "SetOn")
}

// Ebitengine calls these functions where it likes, and its own are safe from any goroutine.
var ebiten = &library{path: regexp.MustCompile(`^github\.com/hajimehoshi/ebiten(/v2)?$`)}
