// Package mainthread lets the public package of that name do with a Thread what no other package may: end it.
package mainthread

// Adopt is thread.Adopt for the main thread. Only the function end ends the Thread that it returns. Package thread sets
// Adopt.
var Adopt func() (thread any, end func())
