package rpc

import (
	"context"
	"net"
	"slices"
	"time"

	"perfdeck/session/system/failure"
)

// Why the server does not take a log-on though nothing is wrong with it. Each has
// an answer of its own, so that a client can tell it from a wrong password.
var (
	errBusy = failure.Worded("not checked: too many were refused before it", Fault(FaultServerTooBusy))

	errGone        = failure.Worded("the account is not there any more", Fault(CodeRequestNotAccepted))
	errAccountFull = failure.Worded("the account has as many connections as it may have", Fault(CodeConnectionCountLimit))
	errAddressFull = failure.Worded("the address has as many connections as it may have", Fault(CodeTooManySessions))
	errServerFull  = failure.Worded("there are as many connections as there may be", Fault(CodeRequestNotAccepted))
)

// errEvicted is why connections are closed that are not logged on yet when too
// many come.
var errEvicted = failure.Worded("too many connections: closed before its log-on was done", Fault(CodeServerTooBusy))

// admit adds a connection, which is a stranger until it has logged on. If there
// are too many strangers one of them makes room: of the address that has most of
// them one that was refused already, or else the oldest. So a flood from one
// address harms neither clients nor those who log on from elsewhere.
func (s *Server) admit(ctx context.Context, nc net.Conn) *serverConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.group++
	c := newServerConn(ctx, s, nc, s.group)
	if s.strangers() >= s.o.MaxConnections {
		i := s.leastWelcome(addressOf(nc.RemoteAddr()))
		s.evict(s.conns[i])
		s.conns = slices.Delete(s.conns, i, i+1)
	}
	s.conns = append(s.conns, c)
	return c
}

// farewell is how long a connection that makes room has to ask, to be told why.
const farewell = 2 * time.Second

// evict lets a stranger go, who is told why when it says the next thing; of too many
// who are on their way out the first is just closed. s.mu is held.
func (s *Server) evict(c *serverConn) {
	if len(s.leaving) >= s.o.MaxConnections {
		s.leaving[0].end(nil)
		s.leaving = slices.Delete(s.leaving, 0, 1)
	}
	s.leaving = append(s.leaving, c)
	c.o.Report(c.nc.RemoteAddr(), errEvicted)
	until := time.Now().Add(farewell)
	c.leaves.Store(&until)
	_ = c.nc.SetDeadline(until)
	c.cancel() // it is told now of a refused log-on, which is told late
}

func (s *Server) strangers() (n int) {
	for _, c := range s.conns {
		if !c.known.Load() {
			n++
		}
	}
	return n
}

// leastWelcome is the index of the stranger that makes room for one from an
// address.
func (s *Server) leastWelcome(newcomer string) int {
	count := map[string]int{newcomer: 1}
	address := make([]string, len(s.conns))
	for i, c := range s.conns {
		if !c.known.Load() {
			address[i] = addressOf(c.nc.RemoteAddr())
			count[address[i]]++
		}
	}
	worst := -1
	for i, c := range s.conns {
		if c.known.Load() {
			continue
		}
		if worst < 0 || count[address[i]] > count[address[worst]] ||
			address[i] == address[worst] && c.refused.Load() && !s.conns[worst].refused.Load() {
			worst = i
		}
	}
	return worst
}

// place makes a stranger that has logged on a client, if its account, its address
// and the server may have one more.
func (s *Server) place(c *serverConn, account string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	account = foldAccount(account)
	if c.leaves.Load() != nil {
		return errEvicted
	}
	if slices.Contains(c.accounts, account) {
		return nil
	}
	if _, still := s.o.Accounts(account); !still {
		return errGone
	}
	address := addressOf(c.nc.RemoteAddr())
	var all, ofAddress, ofAccount int
	for _, other := range s.conns {
		if other == c || !other.known.Load() {
			continue
		}
		all++
		if addressOf(other.nc.RemoteAddr()) == address {
			ofAddress++
		}
		if slices.Contains(other.accounts, account) {
			ofAccount++
		}
	}
	switch {
	case ofAccount >= s.o.MaxPerAccount:
		return errAccountFull
	case ofAddress >= s.o.MaxPerAddress:
		return errAddressFull
	case all >= s.o.MaxConnections:
		return errServerFull
	}
	c.accounts = append(c.accounts, account)
	c.known.Store(true)
	return nil
}

func (s *Server) release(c *serverConn) {
	c.end(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(other *serverConn) bool { return other == c }
	s.conns, s.leaving = slices.DeleteFunc(s.conns, is), slices.DeleteFunc(s.leaving, is)
	for _, account := range c.accounts {
		s.throttle.remember(c.nc.RemoteAddr(), account)
	}
}

func (s *Server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range slices.Concat(s.conns, s.leaving) {
		c.end(nil)
	}
}
