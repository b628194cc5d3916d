package main

import (
	"io"
	"math/rand/v2"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// A user moves the mouse over the first window, which is at the upper left corner of the screen. Each position is another one, so that
// the events of one process can be told apart.
type user struct {
	conn *xgb.Conn
	root xproto.Window
}

func newUser() (*user, error) {
	xgb.Logger.SetOutput(io.Discard)
	conn, err := xgb.NewConn()
	if err != nil {
		return nil, err
	}
	if err := xtest.Init(conn); err != nil {
		return nil, err
	}
	return &user{conn, xproto.Setup(conn).DefaultScreen(conn).Root}, nil
}

// position returns where the mouse is after move n, in a window that is larger than 300 by 200.
func position(n int) (x, y int) { return 20 + n%250, 20 + n/250%150 }

// number is the inverse of position.
func number(x, y int) int { return x - 20 + (y-20)*250 }

// act moves the mouse every 10 to 30 ms until it is stopped. Then it returns when each move was made.
func (u *user) act() (stop func() []time.Time) {
	over, moved := make(chan struct{}), make(chan []time.Time)
	go func() {
		var moves []time.Time
		for {
			select {
			case <-over:
				moved <- moves
				return
			case <-time.After(10*time.Millisecond + rand.N(20*time.Millisecond)):
				x, y := position(len(moves))
				moves = append(moves, time.Now())
				xtest.FakeInput(u.conn, xproto.MotionNotify, 0, 0, u.root, int16(x), int16(y), 0)
			}
		}
	}()
	return func() []time.Time { close(over); return <-moved }
}
