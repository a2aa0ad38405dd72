package pla

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// Client is the sets of a host, reached by DCOM.
type Client struct{ host dcom.Host }

var _ Sets = (*Client)(nil)

// New is the sets of a host that is reached by dial, which connects to a port of it, logs on and
// binds to interfaces. Objects are activated at a port; 0 is the usual one.
func New(dial func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error), port int) *Client {
	return &Client{dcom.Host{Dial: dial, Port: port}}
}

// Close ends the connections.
func (c *Client) Close() error { return c.host.Close() }

// id is a class or an interface of MS-PLA, by the first field of its UUID.
func id(first string) dcom.GUID { return rpc.ParseUUID(first + "-098b-11d8-9414-505054503030") }

// Interfaces, MS-PLA 1.9.
var (
	OfSet        = rpc.NewInterface("IDataCollectorSet", id("03837520"))
	OfCollection = rpc.NewInterface("IDataCollectorSetCollection", id("03837524"))
	OfMap        = rpc.NewInterface("IValueMap", id("03837534"))
	OfItem       = rpc.NewInterface("IValueMapItem", id("03837533"))
)

// Classes are those of one set and of the collection, by category, MS-PLA 3.2.1.
var Classes = [...]struct{ Set, Collection dcom.GUID }{
	Service:     {id("03837531"), id("03837532")},
	System:      {id("03837546"), id("03837547")},
	Session:     {id("0383751c"), id("03837530")},
	Autosession: {id("03837538"), id("03837539")},
}

// Methods of collections, value maps and their items, MS-PLA 3.2.4.16 to 18.
const (
	opCount           = 7
	opItem            = 8
	opGetSets         = 14
	opItemDescription = 7
	opItemKey         = 11
	opItemValue       = 13
)

// Methods of a set, MS-PLA 3.2.4.1.
const (
	opLatestOutput   = 18
	opName           = 20
	opRootPath       = 22
	opStatus         = 33
	opUserAccount    = 51
	opXML            = 52
	opSecurity       = 53
	opSetCredentials = 58
	opQuery          = 59
	opCommit         = 60
	opDelete         = 61
	opStart          = 62
	opStop           = 63
	opSetXML         = 64
)

// Bounds of what is read.
const (
	mostProblems = 1000
	maxName      = 16 << 10 // bytes of an answer with a name
	maxText      = 64 << 10 // bytes of an answer with a path, or a list of rights
	maxXML       = 4 << 20
	maxReference = 64 << 10
)

// Codes that are looked at here.
const (
	codeNotFound = 0x80300002
	codeBadName  = 0x8007007B
)

// ofSets is what results of MS-PLA itself begin with, MS-PLA 2.2.1.
const ofSets = 0x8030

// told is the error of what a host answered; other errors are as they are. So are faults that
// look as if they told of a set: results of sets come signed, faults do not.
func told(op string, name Name, err error) error {
	code := dcom.ResultOf(err)
	if _, signed := errors.AsType[dcom.Result](err); code == 0 || !signed && code>>16 == ofSets {
		return err
	}
	return &Error{Op: op, Name: name, Code: uint32(code)}
}

// session does something with an object of a class, whose references are given back in any
// case. Where the host says that the object is gone, it is activated once more.
func (c *Client) session(ctx context.Context, op string, name Name, class dcom.GUID, interfaces []rpc.Interface, do func(s *dcom.Session) error) error {
	once := func() error {
		s, err := c.host.Activate(ctx, class, interfaces...)
		if err != nil {
			return unreached(err)
		}
		defer s.End(ctx)
		return do(s)
	}
	err := once()
	if dcom.ResultOf(err) == dcom.ResultDisconnected {
		err = once()
	}
	return told(op, name, err)
}

// unreached says of a host that did not answer what lets it.
func unreached(err error) error {
	e, is := errors.AsType[*rpc.Error](err)
	_, nameless := errors.AsType[*net.DNSError](err) // the name leads nowhere
	switch {
	case is && e.IsLogOn() && e.Code == rpc.CodeAccessDenied:
		return failure.WithHint(err, "check user and password; "+Cure(uint32(e.Code)))
	case !is || e.Code != 0 || nameless || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, rpc.ErrNotServed):
		return failure.WithHint(fmt.Errorf("%s: %w", e.Host, errNoObjects), "check endpoint_port of the host in the config")
	case e.IsLogOn() && !isSilence(err):
		return err
	}
	return failure.WithHint(err, `let TCP 135 and the ports of its answers pass: the host's firewall has a group "Performance Logs and Alerts" for them`)
}

// isSilence tells whether a log-on ended because nothing came any more.
func isSilence(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, io.EOF)
}

var errNoObjects = errors.New("no objects are activated there: the port is that of another service")

// method is a call of a set or a map.
func method(o dcom.Object, op uint16, name string, in, out func(n *dcom.NDR)) *dcom.Method {
	return &dcom.Method{Object: o, Op: op, Name: name, In: in, Out: out}
}

// one makes one call.
func one(ctx context.Context, s *dcom.Session, m *dcom.Method) error {
	if err := s.Call(ctx, m); err != nil {
		return err
	}
	return m.Err
}

// noText is an optional text that is left out.
func noText(n *dcom.NDR) {
	var none dcom.BSTR
	none.Unique(n)
}

// texts are arguments of texts.
func texts(values ...string) func(n *dcom.NDR) {
	return func(n *dcom.NDR) {
		for _, v := range values {
			b := dcom.Text(v)
			b.Code(n)
		}
	}
}

// textTo reads a text.
func textTo(to *string) func(n *dcom.NDR) {
	return func(n *dcom.NDR) {
		var b dcom.BSTR
		b.Code(n)
		*to = b.String()
	}
}

// listTime is how long a listing may take in all: each of its calls may take half a minute.
const listTime = 5 * time.Minute

var errSlow = errors.New("the host had not listed its sets after " + english.Span(listTime))

// List implements Sets.
func (c *Client) List(ctx context.Context, categories ...Category) (*Listing, error) {
	if len(categories) == 0 {
		categories = Categories
	}
	ctx, cancel := context.WithTimeoutCause(ctx, listTime, errSlow)
	defer cancel()
	l := &Listing{Not: map[Category]error{}}
	for _, of := range categories {
		err := c.list(ctx, of, l)
		if err == nil {
			continue
		}
		if _, answered := errors.AsType[*Error](err); !answered {
			return nil, err
		}
		l.Not[of] = err
	}
	if len(l.Not) == len(categories) {
		return nil, l.Not[categories[0]]
	}
	return l, nil
}

// list adds the sets of a category.
func (c *Client) list(ctx context.Context, of Category, l *Listing) error {
	const op = "list"
	return c.session(ctx, op, Name{Category: of}, Classes[of].Collection, []rpc.Interface{OfCollection, OfSet}, func(s *dcom.Session) error {
		if err := one(ctx, s, method(s.Object, opGetSets, op, func(n *dcom.NDR) { noText(n); noText(n) }, nil)); err != nil {
			return err
		}
		count, err := counted(ctx, s, s.Object, op)
		if err != nil {
			return err
		}
		sets, err := items(ctx, s, s.Object, min(count, MostSets), OfSet, op)
		if err != nil {
			return err
		}
		listed, elsewhere, err := standing(ctx, s, of, sets)
		if err == nil {
			l.Sets = append(l.Sets, listed...)
			l.More += max(0, count-MostSets) + elsewhere
		}
		return err
	})
}

// counted is how many items a collection has.
func counted(ctx context.Context, s *dcom.Session, o dcom.Object, op string) (int, error) {
	count := uint32(0)
	err := one(ctx, s, method(o, opCount, op, nil, func(n *dcom.NDR) { n.U32(&count) }))
	if int32(count) < 0 {
		return 0, fmt.Errorf("%w: %d sets", dcom.ErrDamaged, int32(count))
	}
	return int(count), err
}

// items are the first of a collection, side by side. Those that vanished meanwhile are left out.
func items(ctx context.Context, s *dcom.Session, o dcom.Object, count int, of rpc.Interface, op string) ([]dcom.Object, error) {
	found := make([]dcom.Object, count)
	calls := make([]*dcom.Method, count)
	for i := range calls {
		index := dcom.Variant{Type: dcom.I4, Bits: uint64(i)}
		calls[i] = method(o, opItem, op, index.Code, func(n *dcom.NDR) { s.Interface(n, of.ID(), &found[i]) })
		calls[i].Refers, calls[i].MaxReply = true, maxReference
	}
	if err := s.Call(ctx, calls...); err != nil {
		return nil, err
	}
	out := found[:0]
	for i, m := range calls {
		switch {
		case m.Err == nil && found[i].There():
			out = append(out, found[i])
		case m.Err != nil && !hasGone(m.Err):
			return nil, m.Err
		}
	}
	return out, nil
}

// hasGone tells whether a host says that a set that was there before is there no more. An
// object that is gone is another matter: clients hold it, so the process that had it has ended.
func hasGone(err error) bool {
	switch dcom.ResultOf(err) {
	case codeNotFound, 0x80070057, 0x8002000B, 0x80070002: // an index beyond the end; not found
		return true
	}
	return false
}

// standing asks for names and how sets stand, side by side, and tells how many of them are elsewhere.
func standing(ctx context.Context, s *dcom.Session, of Category, sets []dcom.Object) (_ []Listed, elsewhere int, _ error) {
	listed := make([]Listed, len(sets))
	calls := make([]*dcom.Method, 0, 2*len(sets))
	for i, o := range sets {
		l := &listed[i]
		name := method(o, opName, "read a name", nil, func(n *dcom.NDR) {
			var text string
			textTo(&text)(n)
			l.Name = plain(of, text)
		})
		name.MaxReply = maxName
		calls = append(calls, name, method(o, opStatus, "read a status", nil, func(n *dcom.NDR) { n.U16((*uint16)(&l.Status)) }))
	}
	if err := s.Call(ctx, calls...); err != nil {
		return nil, 0, err
	}
	out := listed[:0]
	for i := range listed {
		err := cmp.Or(calls[2*i].Err, calls[2*i+1].Err)
		switch {
		case err == nil:
			out = append(out, listed[i])
		case errors.Is(err, dcom.ErrForeign):
			elsewhere++
		case !hasGone(err):
			return nil, 0, err
		}
	}
	return out, elsewhere, nil
}

// plain is the name that a host tells, without the category that some may put before it.
func plain(of Category, text string) Name {
	if before, after, cut := strings.Cut(text, `\`); cut && strings.EqualFold(before, of.String()) && after != "" {
		text = after
	}
	return Name{of, text}
}

// query does something with a set that is there. A host that does not know the name is asked
// once for the one with its category.
func (c *Client) query(ctx context.Context, op string, name Name, interfaces []rpc.Interface, do func(s *dcom.Session, set string) error) error {
	return c.session(ctx, op, name, Classes[name.Category].Set, interfaces, func(s *dcom.Session) error {
		set := name.Set
		ask := func() error {
			return one(ctx, s, method(s.Object, opQuery, op, func(n *dcom.NDR) { texts(set)(n); noText(n) }, nil))
		}
		err := ask()
		if code := dcom.ResultOf(err); code == codeNotFound || code == codeBadName {
			set = name.String()
			if ask() != nil {
				return err
			}
			err = nil
		}
		if err != nil {
			return err
		}
		return do(s, set)
	})
}

// setAlone are the interfaces of calls that only need a set.
var setAlone = []rpc.Interface{OfSet}

// Read implements Sets.
func (c *Client) Read(ctx context.Context, name Name) (*Set, error) {
	const op = "read"
	var set *Set
	err := c.query(ctx, op, name, setAlone, func(s *dcom.Session, _ string) error {
		set = &Set{Name: name}
		status := method(s.Object, opStatus, op, nil, func(n *dcom.NDR) { n.U16((*uint16)(&set.Status)) })
		text := func(op uint16, to *string, size int) *dcom.Method {
			m := method(s.Object, op, "read", nil, textTo(to))
			m.MaxReply = size
			return m
		}
		calls := []*dcom.Method{text(opXML, &set.XML, maxXML), status, text(opLatestOutput, &set.Output, maxText), text(opRootPath, &set.Root, maxText),
			text(opSecurity, &set.Security, maxText), text(opUserAccount, &set.Account, maxText), text(opName, &set.Name.Set, maxName)}
		if err := s.Call(ctx, calls...); err != nil {
			return err
		}
		for _, m := range calls[:2] { // the others are in it, too, as far as there are any
			if m.Err != nil {
				return m.Err
			}
		}
		if calls[len(calls)-1].Err != nil || set.Name.Set == "" {
			set.Name = name
		}
		set.Name = plain(name.Category, set.Name.Set)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return set, nil
}

// ofCommits are the interfaces of a commit.
var ofCommits = []rpc.Interface{OfSet, OfMap, OfItem}

// Commit implements Sets.
func (c *Client) Commit(ctx context.Context, change Change) (problems []Problem, err error) {
	const op = "commit"
	var password []byte // which may take its time: nothing is held or compared before
	if as := change.RunAs; as != nil && as.Password != nil {
		if password, err = as.Password(ctx); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrPassword, err)
		}
		defer clear(password)
	}
	do := func(s *dcom.Session, set string) error {
		problems, err = commit(ctx, s, set, change, password)
		return err
	}
	if change.Was != "" || change.Mode&(Create|Modify) == Modify {
		err = c.query(ctx, op, change.Name, ofCommits, do)
	} else {
		err = c.session(ctx, op, change.Name, Classes[change.Name.Category].Set, ofCommits, func(s *dcom.Session) error { return do(s, change.Name.Set) })
	}
	return problems, err
}

func commit(ctx context.Context, s *dcom.Session, set string, change Change, password []byte) ([]Problem, error) {
	if change.Was != "" {
		var is string
		now := method(s.Object, opXML, "commit", nil, textTo(&is))
		now.MaxReply = maxXML
		if err := one(ctx, s, now); err != nil {
			return nil, err
		}
		if is != change.Was {
			return nil, fmt.Errorf("%s %w", change.Name, ErrChanged)
		}
	}
	problems, err := mapped(ctx, s, opSetXML, texts(change.XML))
	if err != nil {
		return problems, err
	}
	if change.RunAs != nil {
		if err := setCredentials(ctx, s, change.RunAs.User, password); err != nil {
			return problems, err
		}
	}
	more, err := mapped(ctx, s, opCommit, func(n *dcom.NDR) {
		texts(set)(n)
		noText(n)
		mode := uint16(change.Mode)
		n.U16(&mode)
		rest := uint16(0) // hosts may take it for 4 bytes
		n.U16(&rest)
	})
	for _, p := range more { // both calls validate
		if !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	return problems, err
}

// setCredentials says whom the set runs as.
func setCredentials(ctx context.Context, s *dcom.Session, name string, password []byte) error {
	user, secret := dcom.Text(name), dcom.Text(string(password))
	defer clear(secret)
	if name == "" { // the system
		user, secret = nil, nil
	}
	return one(ctx, s, method(s.Object, opSetCredentials, "commit", func(n *dcom.NDR) { user.Code(n); secret.Code(n) }, nil))
}

// mapped calls a method that answers a value map, and reads what the host says there. What it
// does not tell of an item is left out: the method has done its work.
func mapped(ctx context.Context, s *dcom.Session, op uint16, in func(n *dcom.NDR)) ([]Problem, error) {
	var of dcom.Object
	m := method(s.Object, op, "commit", in, func(n *dcom.NDR) { s.Interface(n, OfMap.ID(), &of) })
	m.Refers = true
	if err := s.Call(ctx, m); err != nil {
		return nil, err
	}
	if m.Err != nil || !of.There() { // of a failure it says nothing
		return nil, m.Err
	}
	problems, err := problemsOf(ctx, s, of)
	if dcom.ResultOf(err) != 0 || errors.Is(err, rpc.ErrNotServed) {
		err = nil
	}
	return problems, err
}

// problemsOf are the items of a value map.
func problemsOf(ctx context.Context, s *dcom.Session, of dcom.Object) ([]Problem, error) {
	count, err := counted(ctx, s, of, "commit")
	if err != nil {
		return nil, err
	}
	found, err := items(ctx, s, of, min(count, mostProblems), OfItem, "commit")
	if err != nil {
		return nil, err
	}
	problems := make([]Problem, len(found))
	calls := make([]*dcom.Method, 0, 3*len(found))
	for i, o := range found {
		p := &problems[i]
		key := method(o, opItemKey, "commit", nil, textTo(&p.Key))
		text := method(o, opItemDescription, "commit", nil, textTo(&p.Text))
		value := method(o, opItemValue, "commit", nil, func(n *dcom.NDR) {
			var v dcom.Variant
			v.Code(n)
			p.Code = uint32(v.Bits)
		})
		calls = append(calls, key, text, value)
	}
	return problems, s.Call(ctx, calls...)
}

// Delete implements Sets.
func (c *Client) Delete(ctx context.Context, name Name) error {
	return c.act(ctx, "delete", name, opDelete, nil, 0)
}

// Start implements Sets.
func (c *Client) Start(ctx context.Context, name Name) error {
	return c.act(ctx, "start", name, opStart, synchronous, StopTime)
}

// Stop implements Sets.
func (c *Client) Stop(ctx context.Context, name Name) error {
	return c.act(ctx, "stop", name, opStop, synchronous, StopTime)
}

// synchronous has a call answered when what it began is done.
func synchronous(n *dcom.NDR) {
	yes := true
	n.Bool(&yes)
}

// act calls a method of a set that answers nothing but its result.
func (c *Client) act(ctx context.Context, op string, name Name, number uint16, in func(n *dcom.NDR), timeout time.Duration) error {
	return c.query(ctx, op, name, setAlone, func(s *dcom.Session, _ string) error {
		m := method(s.Object, number, op, in, nil)
		m.Timeout = timeout
		return one(ctx, s, m)
	})
}
