package callq

// A Fault is a panic that a function did not recover from: its value, and where it was raised.
type Fault struct {
	Value any
	Stack []uintptr // as runtime.Callers has it, from the function that panicked outwards
}
