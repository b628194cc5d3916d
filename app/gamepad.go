package app

import "github.com/go-gl/glfw/v3.4/glfw"

// A Gamepad is the state of a gamepad, with the buttons and axes of an Xbox controller: GLFW has
// mappings for the usual models, and [glfw.UpdateGamepadMappings], on the main thread, adds others.
type Gamepad struct {
	ID   glfw.Joystick // stays while the gamepad is connected
	Name string
	glfw.GamepadState
}

// Gamepads returns the gamepads that are connected. It waits for the main thread. From its first
// call on, until Terminate, each window receives a [GamepadEvent] when one comes or goes.
func Gamepads() (all []Gamepad) {
	_ = onMain(func() {
		glfw.SetJoystickCallback(joystickChanged)
		for id := glfw.Joystick1; id <= glfw.JoystickLast; id++ {
			now := id.GetGamepadState()
			if state.gamepads[id] = now != nil; now != nil {
				all = append(all, Gamepad{id, id.GetGamepadName(), *now})
			}
		}
	})
	return all
}

// joystickChanged runs on the main thread. Of a joystick that has gone there is only the number.
func joystickChanged(id glfw.Joystick, change glfw.PeripheralEvent) {
	gamepadChanged(id, id.GetGamepadName(), id.IsGamepad())
}

func gamepadChanged(id glfw.Joystick, name string, connected bool) {
	if connected == state.gamepads[id] {
		return
	}
	state.gamepads[id] = connected
	for _, w := range allWindows() {
		w.queue.post(&GamepadEvent{id, name, connected})
	}
}
