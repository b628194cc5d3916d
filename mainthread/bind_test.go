package mainthread_test

import (
	"fmt"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func TestBind(t *testing.T) {
	here := func() string {
		if mainthread.On() {
			return "main"
		}
		return "off"
	}
	var got string
	mainthread.Bind0(func() { got += here() })()
	mainthread.Bind1(func(a int) { got += fmt.Sprint(here(), a) })(1)
	mainthread.Bind2(func(a, b int) { got += fmt.Sprint(here(), a, b) })(1, 2)
	mainthread.Bind3(func(a, b, c int) { got += fmt.Sprint(here(), a, b, c) })(1, 2, 3)
	got += mainthread.Bind0V(here)()
	got += mainthread.Bind1V(func(a int) string { return fmt.Sprint(here(), a) })(1)
	got += mainthread.Bind2V(func(a, b int) string { return fmt.Sprint(here(), a, b) })(1, 2)
	got += mainthread.Bind3V(func(a, b, c int) string { return fmt.Sprint(here(), a, b, c) })(1, 2, 3)
	got += fmt.Sprint(mainthread.Bind0V2(func() (string, int) { return here(), 0 })())
	got += fmt.Sprint(mainthread.Bind1V2(func(a int) (string, int) { return here(), a })(1))
	got += fmt.Sprint(mainthread.Bind2V2(func(a, b int) (string, int) { return here(), a + b })(1, 2))
	got += fmt.Sprint(mainthread.Bind3V2(func(a, b, c int) (string, int) { return here(), a + b + c })(1, 2, 3))
	if want := "main" + "main1" + "main1 2" + "main1 2 3" + "main" + "main1" + "main1 2" + "main1 2 3" +
		"main0" + "main1" + "main3" + "main6"; got != want {
		t.Errorf("they had and returned\n%s, want\n%s", got, want)
	}
}
