package rpc

import (
	"fmt"
	"net"
	"sync"
)

// throttle bounds the refused log-ons under way for each address. As each of
// them is answered late, that bounds how many passwords can be tried.
type throttle struct {
	limit int

	mu      sync.Mutex
	pending map[string]int
}

func newThrottle(limit int) *throttle {
	return &throttle{limit: limit, pending: map[string]int{}}
}

// attempt runs the check of a log-on, unless as many from the address as may be
// have just failed. A failed one counts until leave is called; leave is nil if
// err is.
func (t *throttle) attempt(peer net.Addr, check func() error) (leave func(), err error) {
	key := addressOf(peer)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending[key] >= t.limit {
		return func() {}, fmt.Errorf("%w: too many failed before it", errLogon)
	}
	if err := check(); err != nil {
		t.pending[key]++
		return func() { t.leave(key) }, err
	}
	return nil, nil
}

func (t *throttle) leave(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending[key]--; t.pending[key] == 0 {
		delete(t.pending, key)
	}
}

// addressOf is the address without its port; of IPv6 the /64, which one
// subscriber owns.
func addressOf(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return a.String()
	}
	if tcp.IP.To4() == nil && len(tcp.IP) == net.IPv6len {
		return tcp.IP.Mask(net.CIDRMask(64, 128)).String()
	}
	return tcp.IP.String()
}
