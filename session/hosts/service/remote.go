package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/rpc/scm"
)

// Conn is a connection to the service manager of a Windows host; an *rpc.Lease is one.
type Conn interface {
	scm.Conn
	Err() error // why it is of no more use; nil: it is
	Close() error
}

// Remote is the service manager of a Windows host. It is asked over one connection for as long as
// it is asked at all, and how services are to start is asked once.
type Remote struct {
	host    string
	connect func(ctx context.Context) (Conn, error)
	refused func(error)
	turn    chan struct{} // holding its token is a round

	// Of the round.
	conn    Conn // nil: none
	manager *scm.Manager
	configs map[string]config
	broke   time.Time // the connection, over details
	runs    map[string]run
	idle    *time.Timer
	list    []Service // the newest
	listed  time.Time
}

// config is how a service is to start, or why that is not known.
type config struct {
	scm.Config

	err      error
	triggers triggers
}

// triggers tells what is known of what happens to start a service.
type triggers uint8

const (
	unasked triggers = iota
	none
	some
	untold // the host does not tell
)

// run is the newest process of a service, and how many there were before it.
type run struct {
	process uint32
	before  uint64
}

// NewRemote makes the manager of a host, which messages name. refused hears that the account may not
// list services, so that connect need not find that out again.
func NewRemote(host string, connect func(ctx context.Context) (Conn, error), refused func(error)) *Remote {
	return &Remote{host: host, connect: connect, refused: refused, turn: make(chan struct{}, 1), runs: map[string]run{}}
}

// Source is the services of the host as a source. It closes the manager.
func (r *Remote) Source(start func(func())) *Source {
	begin := time.Now()
	s := NewSource(r.host, Options{
		Dial: r.Dial, Go: start, Now: func() time.Duration { return time.Since(begin) },
		Listed: []string{"ID Process", "Restarts", "Exit Code"}, Sparing: true, Patience: 20 * time.Second, // of which a log-on may take most
	})
	s.close = r.Close
	set := s.cat.Sets[0]
	set.Provider, set.Protocol = "service manager", "MS-SCMR"
	for name, absent := range map[string]string{"Elapsed Time": "the manager does not tell: see Elapsed Time of its process", nameMissing: ""} {
		if i, ok := set.Counter(name); ok {
			set.Counters[i].Absent = absent
		}
	}
	return s
}

// idleTime is after how long a connection ends over which nobody asks any more: longer than between
// the lists of those who ask seldom.
const idleTime = 100 * time.Second

// Dial begins a round, of which there is one at a time.
func (r *Remote) Dial(ctx context.Context) (Manager, error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r.idle != nil {
		r.idle.Stop()
	}
	if err := r.open(ctx); err != nil {
		<-r.turn
		return nil, err
	}
	return remoteRound{r}, nil
}

// open opens the manager, if that is not done.
func (r *Remote) open(ctx context.Context) error {
	if r.conn != nil && r.conn.Err() == nil {
		return nil
	}
	r.drop()
	conn, err := r.connect(ctx)
	if err != nil {
		return scm.Cured(err)
	}
	m, err := scm.Open(ctx, r.host, conn)
	if err != nil {
		_ = conn.Close()
		if errors.Is(err, session.ErrDenied) {
			r.refused(err)
		}
		return err
	}
	r.conn, r.manager, r.configs = conn, m, map[string]config{}
	return nil
}

func (r *Remote) drop() {
	if r.conn != nil {
		_ = r.conn.Close() // with what is open on it
		r.conn = nil
	}
}

// Close ends the connection, after the round that is under way.
func (r *Remote) Close() error {
	r.turn <- struct{}{}
	r.drop()
	<-r.turn
	return nil
}

// remoteRound is a Manager for as long as a round lasts.
type remoteRound struct{ *Remote }

// Close implements Manager. The connection stays for the next round.
func (r remoteRound) Close() error {
	r.idle = time.AfterFunc(idleTime, func() { _ = r.Remote.Close() })
	<-r.turn
	return nil
}

// List implements Manager. Who asks beside others is told what those were told.
func (r remoteRound) List(ctx context.Context) ([]Service, error) {
	if r.list == nil || time.Since(r.listed) > every/2 {
		list, err := r.ask(ctx)
		if err != nil {
			return nil, err
		}
		r.list, r.listed = list, time.Now()
	}
	return slices.Clone(r.list), nil
}

func (r remoteRound) ask(ctx context.Context) ([]Service, error) {
	list, err := r.manager.List(ctx)
	if err != nil {
		if errors.Is(err, session.ErrDenied) {
			r.refused(err)
		}
		return nil, err
	}
	out := make([]Service, 0, len(list))
	was := r.runs
	r.runs = make(map[string]run, len(was))
	at := make(map[string]int, len(list)) // of out, by name: a list that changed between its parts may have one twice
	for i := range list {
		s := &list[i]
		name := nameOf(s)
		one := fromList(name, s.Title, State(s.State), s.ExitCode, s.Process)
		one.Restarts = Number(r.ran(was[s.Name], s))
		if one.State != Stopped {
			one.Missing = is(false)
		}
		k, has := at[name]
		switch {
		case !has:
			at[name] = len(out)
			out = append(out, one)
		case !isOfUser(s) || out[k].State != Running:
			out[k] = one
		}
	}
	return out, nil
}

// ran counts the processes that a service had before, and notes how that was.
func (r remoteRound) ran(was run, s *scm.Service) uint64 {
	if s.Process != 0 && s.Process != was.process {
		if was.process != 0 {
			was.before++
		}
		was.process = s.Process
	}
	if was.process != 0 {
		r.runs[s.Name] = was
	}
	return was.before
}

func isOfUser(s *scm.Service) bool {
	return s.Type&(scm.TypeOfUser|scm.TypeOfUsers) != 0 && s.Type&^scm.Types == 0 // else it is no type at all
}

// nameOf is the name of a service: of one of a user's, who gets another with each log-on, that which
// all of its kind have.
func nameOf(s *scm.Service) string {
	at := strings.LastIndexByte(s.Name, '_')
	if at > 0 && isOfUser(s) && at+1 < len(s.Name) && strings.Trim(s.Name[at+1:], "0123456789abcdefABCDEF") == "" {
		return s.Name[:at]
	}
	return s.Name
}

// Detail implements Manager: how it starts, and, when that is known, whether something that happens
// does: four calls at most. What is denied of one is denied there alone.
func (r remoteRound) Detail(ctx context.Context, s *Service) error {
	c, has := r.configs[s.key]
	rests := time.Since(r.broke) < rest
	switch {
	case rests && !has:
		c.err = errRests
	case rests:
	case !has:
		c.Config, c.err = r.manager.Config(ctx, s.key)
	case s.State == Stopped && c.isWanted() && c.triggers == unasked:
		c.triggers = r.triggersOf(ctx, s.key)
	}
	if err := r.conn.Err(); err != nil {
		r.broke = time.Now()
		return err
	}
	if !rests {
		r.configs[s.key] = c
	}
	unknown := cooker.Reading{State: cooker.Unavailable}
	s.Start, s.Began = unknown, unknown
	switch {
	case c.err == nil:
		s.Start, s.Setting = Number(uint64(c.Start)), settings[c.Start]
		if c.IsDelayed {
			s.Setting = "automatic, delayed"
		}
	case errors.Is(c.err, session.ErrDenied):
		s.Start.State = cooker.Denied
	}
	if s.State == Stopped {
		s.Missing = c.missing(s, r.runs[s.key].process != 0)
	}
	return nil
}

// rest is for how long no details are asked for after the connection broke over some: the list goes on,
// and each connection costs a log-on.
const rest = 10 * time.Minute

var errRests = errors.New("the host did not tell how services start")

// isWanted tells of a service that it is to run from the start on, if nothing that happens starts it.
func (c *config) isWanted() bool { return c.err == nil && c.Start == Automatic && !c.IsDelayed }

func (r remoteRound) triggersOf(ctx context.Context, name string) triggers {
	switch has, err := r.manager.HasTriggers(ctx, name); {
	case err != nil:
		return untold
	case has:
		return some
	}
	return none
}

// missing tells whether a service that is stopped should run. Many that start with the computer end by
// themselves, or wait for something: where the host does not tell which, it is one that was seen to run
// and ended with an error.
func (c *config) missing(s *Service, ran bool) cooker.Reading {
	switch {
	case c.err != nil:
		return s.Start
	case !c.isWanted() || c.triggers == some:
		return is(false)
	case c.triggers == unasked:
		return cooker.Reading{State: cooker.Pending}
	}
	return is(c.triggers == none || ran && s.Failed)
}

var settings = map[uint32]string{Automatic: "automatic", Manual: "by hand", Disabled: "disabled"}
