package park

import (
	"context"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	product := 1.0
	for i := range 100_000 {
		Pause()
		product *= 1 + 1/float64(i+1)
	}
	if product < 100_000 || product > 100_002 {
		t.Errorf("the product is %v", product)
	}
	if n := testing.AllocsPerRun(100, Pause); n != 0 {
		t.Errorf("Pause allocates %v times", n)
	}
}

func TestToken(t *testing.T) {
	for _, latched := range []bool{false, true} {
		token := NewToken(latched)
		for range 3 {
			token.Wake()
			token.Wake()
			if !token.Wait(nil) {
				t.Errorf("latched: %v; no token after two wake-ups", latched)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			if token.Wait(ctx.Done()) {
				t.Errorf("latched: %v; two tokens after two wake-ups", latched)
			}
			cancel()
		}
	}
}

func TestRelax(t *testing.T) {
	if pauses < 1 || pauses > 80 {
		t.Errorf("%d pauses", pauses)
	}
	if n := testing.AllocsPerRun(100, Relax); n != 0 {
		t.Errorf("Relax allocates %v times", n)
	}
}
