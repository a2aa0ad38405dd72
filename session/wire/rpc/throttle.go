package rpc

import (
	"hash/maphash"
	"net"
	"strings"
	"sync"
	"time"
)

// throttle bounds how often passwords can be tried. What counts is a pair, an
// account at an address: a flood of wrong passwords holds up neither other
// addresses nor other accounts.
//
// A refused log-on is a debt of its pair, which time pays off; a pair whose debt
// is at its limit is not checked. The limit is high for a pair that has logged on
// lately: who shares its address, and knows no password, would have to be
// refused that often first, and learns no more in the long run.
type throttle struct {
	price time.Duration // of a refused log-on
	limit time.Duration // of the debt
	seed  maphash.Seed

	mu       sync.Mutex
	pairs    map[uint64]*pair
	strange  map[string]int // pairs of an address that never logged on
	sweeping time.Time      // when old ones were last looked for

	strangers int // sum of strange
}

// pair is an account at an address.
type pair struct {
	address string
	paid    time.Time // when it has no debt
	proven  time.Time // when it last logged on; zero: it never did
}

// Bounds of the throttle.
const (
	maxPairs        = 4096
	maxStrangePairs = 256            // of an address
	provenLimit     = 1 << 16        // refused log-ons of a pair that is proven
	provenFor       = 24 * time.Hour // since its last log-on
)

// newThrottle lets so many log-ons of a pair be refused at once, and again after
// every period.
func newThrottle(many int, period time.Duration) *throttle {
	price := max(1, period/time.Duration(many))
	return &throttle{price: price, limit: price * time.Duration(many), seed: maphash.MakeSeed(), pairs: map[uint64]*pair{}, strange: map[string]int{}}
}

// attempt runs the check of a log-on, or tells by Fault(FaultServerTooBusy) that
// it did not.
func (t *throttle) attempt(peer net.Addr, account string, check func() error) error {
	address := addressOf(peer)
	key := t.key(address, account)
	if !t.charge(key, address) {
		return errBusy
	}
	err := check()
	if err == nil {
		t.prove(key, address, t.price)
	}
	return err
}

func (t *throttle) key(address, account string) uint64 {
	return maphash.Comparable(t.seed, [2]string{address, foldAccount(account)})
}

// foldAccount is the same for all names that Accounts may take for one.
func foldAccount(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// charge takes the price of a log-on that may be refused, if the debt allows.
func (t *throttle) charge(key uint64, address string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	p := t.pair(key, address, now)
	if p == nil {
		return false
	}
	limit := t.limit
	if p.isProven(now) {
		limit = t.price * provenLimit
	}
	if p.paid.Before(now) {
		p.paid = now
	}
	if p.paid.Add(t.price).Sub(now) > limit {
		return false
	}
	p.paid = p.paid.Add(t.price)
	return true
}

// prove gives the price of a log-on back, and notes that the pair knows the
// password.
func (t *throttle) prove(key uint64, address string, price time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	p := t.pair(key, address, now) // it may have been forgotten meanwhile
	if p == nil {
		return
	}
	if p.proven.IsZero() {
		t.leave(p)
	}
	p.paid, p.proven = p.paid.Add(-price), now
}

// remember keeps a pair proven that has had a connection until now.
func (t *throttle) remember(peer net.Addr, account string) {
	address := addressOf(peer)
	t.prove(t.key(address, account), address, 0)
}

func (p *pair) isProven(now time.Time) bool {
	return !p.proven.IsZero() && now.Sub(p.proven) < provenFor
}

// pair is that of a key, a new one where it is not known; nil if there is no room for it.
func (t *throttle) pair(key uint64, address string, now time.Time) *pair {
	if p := t.pairs[key]; p != nil {
		return p
	}
	if len(t.pairs) >= maxPairs || t.strange[address] >= maxStrangePairs {
		t.sweep(now)
	}
	if len(t.pairs) >= maxPairs || t.strange[address] >= maxStrangePairs {
		return nil
	}
	p := &pair{address: address}
	t.pairs[key] = p
	t.strange[address]++
	t.strangers++
	return p
}

// leave counts a pair out of those that never logged on.
func (t *throttle) leave(p *pair) {
	t.strangers--
	if t.strange[p.address]--; t.strange[p.address] == 0 {
		delete(t.strange, p.address)
	}
}

// sweep forgets pairs without debt that were never proven, or long ago. Those
// that are proven keep half of the room.
func (t *throttle) sweep(now time.Time) {
	if now.Sub(t.sweeping) >= t.price {
		t.sweeping = now
		for key, p := range t.pairs {
			if p.paid.After(now) || p.isProven(now) {
				continue
			}
			if p.proven.IsZero() {
				t.leave(p)
			}
			delete(t.pairs, key)
		}
	}
	for key, p := range t.pairs {
		if len(t.pairs) < maxPairs || len(t.pairs)-t.strangers <= maxPairs/2 {
			return
		}
		if !p.paid.After(now) && !p.proven.IsZero() {
			delete(t.pairs, key)
		}
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
