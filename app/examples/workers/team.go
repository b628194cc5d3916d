package main

import (
	"fmt"
	"image"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const tileSize = 64

// A job is a picture to compute.
type job struct {
	sight         sight
	width, height int
	places        []image.Rectangle // of the tiles, in the order in which they are computed
	began         time.Time
	next          atomic.Int64 // tile that nobody has taken
	done          int          // tiles; under titles
	shown         int          // tiles; the window's thread's
}

func newJob(s sight, width, height int) *job {
	j := &job{sight: s, width: width, height: height, began: time.Now()}
	all := image.Rect(0, 0, width, height)
	for y := 0; y < height; y += tileSize {
		for x := 0; x < width; x += tileSize {
			j.places = append(j.places, image.Rect(x, y, x+tileSize, y+tileSize).Intersect(all))
		}
	}
	distance := func(r image.Rectangle) int { // from the middle, where one looks first
		d := r.Min.Add(r.Max).Sub(all.Max)
		return d.X*d.X + d.Y*d.Y
	}
	slices.SortFunc(j.places, func(a, b image.Rectangle) int { return distance(a) - distance(b) })
	return j
}

// A tile is room for a part of a picture. It goes to and fro between a worker and the window, so that computing
// allocates nothing.
type tile struct {
	job    *job
	pixels *image.RGBA
	free   chan *tile
	show   func() // given to the window's thread
}

// A team is the goroutines that compute.
type team struct {
	canvas  *canvas
	wanted  atomic.Pointer[job]
	news    *sync.Cond    // wanted has changed
	ended   chan struct{} // closed by stop
	workers sync.WaitGroup
	titles  sync.Mutex // so that titles come in order
}

func newTeam(c *canvas) *team {
	t := &team{canvas: c, news: sync.NewCond(&sync.Mutex{}), ended: make(chan struct{})}
	for range runtime.GOMAXPROCS(0) {
		t.workers.Go(t.work)
	}
	return t
}

// compute gives up what is being computed, and begins this.
func (t *team) compute(s sight, width, height int) {
	if width < 1 || height < 1 { // minimized
		return
	}
	j := newJob(s, width, height)
	t.canvas.begin(j)
	t.announce(j)
}

func (t *team) announce(j *job) {
	t.news.L.Lock()
	t.wanted.Store(j)
	t.news.L.Unlock()
	t.news.Broadcast()
}

// stop waits until nobody computes any longer.
func (t *team) stop() {
	close(t.ended)
	t.announce(nil)
	t.workers.Wait()
}

func (t *team) work() {
	const ahead = 3 // tiles that may wait to be shown
	free := make(chan *tile, ahead)
	for range ahead {
		tile := &tile{pixels: image.NewRGBA(image.Rect(0, 0, tileSize, tileSize)), free: free}
		tile.show = func() { t.canvas.add(tile) }
		free <- tile
	}
	for {
		j, place, ok := t.take()
		if !ok {
			return
		}
		var room *tile
		select {
		case room = <-free:
		case <-t.ended: // when the window is closed, its tiles do not come back
			return
		}
		room.job = j
		room.pixels.Rect = place
		room.pixels.Stride = 4 * place.Dx()
		if j.sight.compute(room.pixels, j.width, j.height, func() bool { return t.wanted.Load() == j }) &&
			t.canvas.win.Thread().Go(room.show) {
			t.report(j)
		} else {
			free <- room
		}
	}
}

// take waits until there is a tile to compute. It returns false when the team has been stopped.
func (t *team) take() (*job, image.Rectangle, bool) {
	t.news.L.Lock()
	defer t.news.L.Unlock()
	for {
		select {
		case <-t.ended:
			return nil, image.Rectangle{}, false
		default:
		}
		if j := t.wanted.Load(); j != nil {
			if n := int(j.next.Add(1)) - 1; n < len(j.places) {
				return j, j.places[n], true
			}
		}
		t.news.Wait()
	}
}

// report says in the title how far the job is, each time it has got a percent further.
func (t *team) report(j *job) {
	t.titles.Lock()
	defer t.titles.Unlock()
	j.done++
	all := len(j.places)
	switch {
	case t.wanted.Load() != j:
	case j.done == all:
		t.canvas.win.SetTitle(fmt.Sprintf("workers: %d tiles in %v", all, time.Since(j.began).Round(time.Millisecond)))
	case 100*j.done/all != 100*(j.done-1)/all:
		t.canvas.win.SetTitle(fmt.Sprintf("workers: %d %%", 100*j.done/all))
	}
}
