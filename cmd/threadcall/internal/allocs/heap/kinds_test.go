package heap

import "testing"

func TestKinds(t *testing.T) {
	if k := Called("runtime.makeslice"); k.Name != "make" || k.Limit != "32 bytes" || k.Why == "" {
		t.Errorf("%+v", k)
	}
	pool := Stack{{Function: "runtime.newobject"}, {Function: "sync.(*Pool).pinSlow"}}
	if k := pool.Kind(); !pool.OfCache() || k.Name != "pool" || k.What != "" || pool[:1].OfCache() {
		t.Errorf("%+v", k)
	}
}
