package park

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func TestPauseReturnsAndDisturbsNothing(t *testing.T) {
	sum, product := int64(0), 1.0
	for i := range 100_000 {
		Pause()
		sum += int64(i)
		Pause()
		product *= 1 + 1/float64(i+1)
	}
	if sum != 4_999_950_000 {
		t.Errorf("the sum is %d", sum)
	}
	if product < 100_000 || product > 100_002 {
		t.Errorf("the product is %v", product)
	}
	if n := testing.AllocsPerRun(100, Pause); n != 0 {
		t.Errorf("Pause allocates %v times", n)
	}
}

func TestATokenIsThereOrItIsNot(t *testing.T) {
	for _, latched := range []bool{false, true} {
		token := NewToken(latched)
		for range 3 {
			token.Wake()
			token.Wake()
			if !token.Wait(context.Background()) {
				t.Errorf("latched: %v; no token after two wake-ups", latched)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			if token.Wait(ctx) {
				t.Errorf("latched: %v; two tokens after two wake-ups", latched)
			}
			cancel()
		}
	}
}

func TestAWakeBetweenArmAndSleepIsNotLost(t *testing.T) {
	if !CanSleep() {
		t.Skip("no Sleeper on this system, or asynchronous preemption is off")
	}
	var s Sleeper
	s.Arm()
	s.Wake()
	start := time.Now()
	s.Sleep(20 * time.Second)
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("slept for %v", d)
	}
	if !CanSleep() {
		t.Error("the kernel is taken for one that refuses the system call")
	}
}

func TestSleepEndsByItself(t *testing.T) {
	if !CanSleep() {
		t.Skip("no Sleeper on this system, or asynchronous preemption is off")
	}
	var s Sleeper
	s.Arm()
	start := time.Now()
	for time.Since(start) < 5*time.Millisecond {
		s.Sleep(5 * time.Millisecond) // a signal may end it early
	}
	if !CanSleep() {
		t.Error("the kernel is taken for one that refuses the system call")
	}
}

func TestEveryWakeIsHeard(t *testing.T) {
	if !CanSleep() || runtime.GOMAXPROCS(0) == 1 {
		t.Skip("no Sleeper on this system, asynchronous preemption is off, or the sleeper would keep the only P")
	}
	const rounds = 5000
	var s Sleeper
	var round, seen atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		for n := int64(1); n <= rounds; n++ {
			for round.Load() < n {
				s.Arm()
				if round.Load() < n {
					start := time.Now()
					if s.Sleep(30 * time.Second); time.Since(start) > 20*time.Second {
						t.Error("a Wake was lost")
						return
					}
				}
			}
			seen.Store(n)
		}
	}()
	for n := int64(1); n <= rounds; n++ {
		round.Store(n)
		s.Wake()
		for start := time.Now(); seen.Load() < n; runtime.Gosched() {
			if time.Since(start) > 60*time.Second {
				t.Fatal("the sleeper is not heard of again")
			}
		}
	}
	<-done
}

func TestTwoGapsMakeACrowd(t *testing.T) {
	forget := func() {
		crowd.until.Store(0)
		crowd.length.Store(0)
		crowd.lastGap.Store(0)
	}
	forget()
	defer forget()
	now := Now() + time.Hour // so that nothing real disturbs
	if Crowded(now) {
		t.Fatal("a crowd before any gap")
	}
	Gap(now, now+gap/2)
	Gap(now, now+2*gap)
	if Crowded(now + 2*gap) {
		t.Error("a crowd after one gap")
	}
	Gap(now+2*gap, now+4*gap)
	if !Crowded(now+4*gap) || Crowded(now+4*gap+2*firstCrowd) {
		t.Error("no crowd after two gaps, or it stays too long")
	}
	later := now + 4*gap + firstCrowd + gap
	Gap(later, later+2*gap)
	Gap(later+2*gap, later+4*gap)
	if !Crowded(later + 4*gap + firstCrowd + gap) {
		t.Error("the second crowd is not believed for longer")
	}
}

func TestLoadSeesThatAllRunAndSomeWait(t *testing.T) {
	var l Load
	l.Read()
	if runtime.GOARCH == "wasm" {
		t.Skip("nothing runs beside this")
	}
	var stop atomic.Bool
	defer stop.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
				for range 1000 {
					Pause()
				}
				runtime.Gosched() // with asynchronous preemption off nobody could stop the world otherwise
			}
		}()
	}
	for start := time.Now(); ; runtime.Gosched() {
		if full, wanted := l.Read(); full && wanted {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatal("twice as many goroutines as Ps compute, and nobody waits")
		}
	}
	if n := testing.AllocsPerRun(100, func() { l.Read() }); n != 0 {
		t.Errorf("Read allocates %v times", n)
	}
}
