package dcom

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"perfdeck/session/wire/rpc"
)

// Host is where objects are activated. Its connections are kept between sessions, until Close.
// Several goroutines may use it.
type Host struct {
	// Dial connects to a port of the host, whatever addresses the host tells, logs on with
	// packet privacy and binds to the interfaces.
	Dial func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error)
	Port int // of the resolver; 0: ResolverPort

	mu      sync.Mutex
	closed  bool
	idle    []connection // the last one was used last
	version Version      // of COM, as both ends have it; zero: not asked yet
}

// ResolverPort is where hosts resolve and activate objects.
const ResolverPort = 135

// connection is one to a port of the host.
type connection struct {
	*rpc.Client

	port int
	kept bool // it was used before: the host may have closed it since
}

// whole tells whether there is a connection that can be used.
func (c connection) whole() bool { return c.Client != nil && c.Err() == nil }

// mostIdle bounds the connections that are kept.
const mostIdle = 4

// take gives a connection to a port: one that was kept, or a new one.
func (h *Host) take(ctx context.Context, port int, fresh bool, interfaces ...rpc.Interface) (connection, error) {
	h.mu.Lock()
	for i := len(h.idle) - 1; i >= 0 && !fresh; i-- {
		if c := h.idle[i]; c.port == port {
			h.idle = append(h.idle[:i], h.idle[i+1:]...)
			h.mu.Unlock()
			c.kept = true
			return c, nil
		}
	}
	h.mu.Unlock()
	c, err := h.Dial(ctx, port, interfaces...)
	return connection{Client: c, port: port}, err
}

// give gives a connection back.
func (h *Host) give(c connection) {
	if c.Client == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || c.Err() != nil {
		_ = c.Close()
		return
	}
	if len(h.idle) == mostIdle {
		_ = h.idle[0].Close()
		h.idle = h.idle[1:]
	}
	h.idle = append(h.idle, c)
}

// Close ends the connections. Sessions under way keep theirs until they end.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.idle {
		_ = c.Close()
	}
	h.idle, h.closed = nil, true
	return nil
}

// Results of COM that say more of a call than that it failed, MS-DCOM 2.2.20 and MS-ERREF.
const (
	ResultDisconnected Result = 0x80010108 // the object is gone
	resultVersion      Result = 0x80010110
)

// ResultOf is what a host answered a call by, be it a result or a fault; 0: nothing.
func ResultOf(err error) Result {
	if r, ok := errors.AsType[Result](err); ok {
		return r
	}
	if e, ok := errors.AsType[*rpc.Error](err); ok && !e.IsLogOn() {
		return Result(e.Code)
	}
	return 0
}

// Versions of COM that are spoken: those of Windows 2003 and later.
var (
	newest = Version{5, 7}
	oldest = Version{5, 6}
)

var (
	resolverInterface  = rpc.NewInterface("IObjectExporter", IObjectExporter)
	activatorInterface = rpc.NewInterface("IRemoteSCMActivator", IRemoteActivator)
	unknownInterface   = rpc.NewInterface("IRemUnknown", IRemUnknown)
)

// ErrForeign is why an object is not called.
var ErrForeign = errors.New("the host refers to an object elsewhere, which is not followed")

// Errors of what a host answers.
var (
	errNoExporter  = errors.New("the host does not say at which port its objects are")
	errUnasked     = errors.New("the host does not tell its version of COM to those who have logged on")
	errNoReference = errors.New("the host gives no reference to what was asked for")
)

// Object is an interface of an object of a session.
type Object struct {
	IID, IPID GUID

	foreign bool // of another process or host
	none    bool
}

// There tells whether there is an object: hosts may give none.
func (o *Object) There() bool { return !o.none && *o != Object{} }

// Session is an object that was activated, and what it leads to. End gives all references
// back. It is for one goroutine.
type Session struct {
	Object Object // the one that was activated

	host      *Host
	conn      connection
	wanted    []rpc.Interface // of the exporter
	created   Created
	version   Version
	port      int
	held      CountedList
	uncounted []GUID // references whose count is yet to be asked for
}

// Activate makes an object of a class. Interfaces are those that will be called, the object's
// first. What is under way when ctx ends is waited for a moment, so that its references can be
// given back.
func (h *Host) Activate(ctx context.Context, class GUID, interfaces ...rpc.Interface) (*Session, error) {
	s := &Session{host: h, wanted: append([]rpc.Interface{unknownInterface}, interfaces...)}
	err := h.resolve(ctx, func(ctx context.Context, c connection) error { return s.create(ctx, c, class, interfaces[0].ID()) })
	if err == nil {
		if err = s.connect(ctx, false); err != nil && ctx.Err() == nil {
			s.held = nil // there is no way to give them back
		}
	}
	if err == nil {
		err = s.count(ctx)
	}
	if err != nil {
		s.End(ctx)
		return nil, err
	}
	return s, nil
}

// resolve does something at the host's resolver: over a kept connection first, and a new one
// when that was closed meanwhile.
func (h *Host) resolve(ctx context.Context, do func(ctx context.Context, c connection) error) error {
	port := h.Port
	if port == 0 {
		port = ResolverPort
	}
	for fresh := false; ; fresh = true {
		c, err := h.take(ctx, port, fresh, resolverInterface, activatorInterface)
		if err != nil {
			return err
		}
		lasting, cancel := outlasting(ctx)
		err = do(lasting, c)
		cancel()
		broken := c.Err() != nil
		h.give(c)
		if err == nil || fresh || !broken || !c.kept && !errors.Is(err, errUnasked) || ctx.Err() != nil {
			return err
		}
	}
}

// grace is how long an answer with references is waited for when nobody wants it any more.
const grace = 3 * time.Second

// outlasting ends a moment after ctx.
func outlasting(ctx context.Context) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(context.Cause(ctx))
		case <-lasting.Done():
		}
	})
	return lasting, func() { stop(); cancel(nil) }
}

// versionOf asks for the host's version of COM, once.
func (h *Host) versionOf(ctx context.Context, c connection) (Version, error) {
	h.mu.Lock()
	known := h.version
	h.mu.Unlock()
	if known != (Version{}) {
		return known, nil
	}
	var alive Alive
	ask := &rpc.Outgoing{Interface: resolverInterface, Op: OpServerAlive2, Name: "ask for the version of COM", MaxReply: 64 << 10,
		Take: func(stub []byte) error { return Decode(stub, &alive) }}
	known = newest
	if err := c.Do(ctx, ask); err != nil {
		if ResultOf(err) != 0 {
			h.setVersion(known)
			err = fmt.Errorf("%w: %w", errUnasked, err)
		}
		return known, err
	}
	if ask.Err == nil { // it need not be answered to those who have logged on
		if is := alive.Version; is.Major != newest.Major || is.Minor < oldest.Minor {
			return known, fmt.Errorf("the host speaks version %v of COM, %v is the least", is, oldest)
		}
		known.Minor = min(known.Minor, alive.Version.Minor)
	}
	h.setVersion(known)
	return known, nil
}

func (h *Host) setVersion(v Version) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version = v
}

// create asks the host to make an object.
func (s *Session) create(ctx context.Context, c connection, class, iid GUID) error {
	v, err := s.host.versionOf(ctx, c)
	if err != nil {
		return err
	}
	err = s.createAs(ctx, c, v, class, iid)
	if ResultOf(err) == resultVersion && v != oldest && c.Err() == nil {
		s.host.setVersion(oldest)
		err = s.createAs(ctx, c, oldest, class, iid)
	}
	return err
}

func (s *Session) createAs(ctx context.Context, c connection, v Version, class, iid GUID) error {
	s.created = Created{}
	var result Result
	ask := &rpc.Outgoing{Interface: activatorInterface, Op: OpRemoteCreateInstance, Name: "activate", MaxReply: 256 << 10,
		Args: Encode(newThis(v), &Create{v, class, []GUID{iid}, []uint16{TowerTCP}}),
		Take: func(stub []byte) error { return Decode(stub, &That{}, &s.created, &result) }}
	if err := c.Do(ctx, ask); err != nil {
		return err
	}
	if ask.Err != nil {
		return ask.Err
	}
	if result.Failed() {
		return result
	}
	for _, a := range s.created.Exporter.Addresses {
		if a.Tower == TowerTCP && s.port == 0 {
			s.port = portOf(a.Address)
		}
	}
	if len(s.created.Interfaces) != 1 {
		return errNoReference
	}
	i := s.created.Interfaces[0]
	if i.Result.Failed() {
		return i.Result
	}
	if s.port == 0 {
		return errNoExporter
	}
	var r Reference
	if i.Reference == nil {
		return errNoReference
	}
	if err := Decode(i.Reference, &r); err != nil {
		return err
	}
	if s.version = v; s.created.Version.Major == v.Major {
		s.version.Minor = min(v.Minor, s.created.Version.Minor)
	}
	if s.Object = s.hold(&r); s.Object.foreign {
		return ErrForeign
	}
	if r.IID != iid {
		return errNoReference
	}
	return nil
}

// portOf is the port of HOST[PORT]; 0: it has none. What host it is does not count: it is the
// one that was activated on.
func portOf(address string) int {
	i := strings.LastIndexByte(address, '[')
	if i < 0 || !strings.HasSuffix(address, "]") {
		return 0
	}
	port, err := strconv.ParseUint(address[i+1:len(address)-1], 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}

// newThis begins a call.
func newThis(v Version) *This {
	t := &This{Version: v}
	rand.Read(t.Causality[:])
	return t
}

// connect connects to the process that has the objects.
func (s *Session) connect(ctx context.Context, fresh bool) (err error) {
	s.conn, err = s.host.take(ctx, s.port, fresh, s.wanted...)
	return err
}

// Method is a call of a method.
type Method struct {
	Object   Object
	Op       uint16
	Name     string // what errors call it
	In       func(n *NDR)
	Out      func(n *NDR) // what stands before the result; texts and bytes have to be copied
	Refers   bool         // its answer has references: it is waited for a moment when nobody wants it any more
	MaxReply int          // bytes; 0: 64 KiB
	Timeout  time.Duration

	Err error // of this call alone: a Result that failed, or a fault
}

// Call calls methods that do not depend on each other, side by side where the host takes that,
// else one after the other. An error says that answers are missing; else each method has its
// own. References that come meanwhile are the session's.
func (s *Session) Call(ctx context.Context, methods ...*Method) error {
	for len(methods) > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		part := methods[:min(len(methods), atATime)]
		methods = methods[len(part):]
		lasting, cancel := ctx, context.CancelFunc(func() {})
		if part[0].Refers {
			lasting, cancel = outlasting(ctx)
		}
		err := s.call(lasting, part)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// atATime is after how many calls it is looked whether they are still wanted: as many as are
// under way at most.
const atATime = rpc.MostUnderWay

func (s *Session) call(ctx context.Context, methods []*Method) error {
	var calls []*rpc.Outgoing
	var interfaces []rpc.Interface
	var asked []*Method
	for _, m := range methods {
		if m.Object.foreign { // the others are as they are
			m.Err = ErrForeign
			continue
		}
		of := s.interfaceOf(m.Object.IID)
		interfaces = append(interfaces, of)
		n := Write()
		newThis(s.version).Code(n)
		if m.In != nil {
			m.In(n)
		}
		asked = append(asked, m)
		calls = append(calls, &rpc.Outgoing{Interface: of, Object: m.Object.IPID, Op: m.Op, Name: m.Name, Args: n.Bytes(), MaxReply: max(m.MaxReply, 64<<10), Timeout: m.Timeout,
			Take: func(stub []byte) error { return m.take(stub) }})
	}
	if len(asked) == 0 {
		return nil
	}
	err := s.do(ctx, interfaces, calls)
	if s.conn.kept && s.conn.Err() != nil && err != nil && ctx.Err() == nil { // the host closed it before
		s.host.give(s.conn)
		if err = s.connect(ctx, true); err == nil {
			err = s.do(ctx, interfaces, calls)
		}
	}
	s.conn.kept = false
	if err != nil {
		return err
	}
	for i, k := range calls {
		if k.Err != nil {
			asked[i].Err = k.Err
		}
	}
	return s.count(ctx)
}

// interfaceOf is an interface with its name.
func (s *Session) interfaceOf(iid GUID) rpc.Interface {
	for _, i := range s.wanted {
		if i.ID() == iid {
			return i
		}
	}
	return rpc.NewInterface(fmt.Sprintf("interface %x", iid), iid)
}

func (s *Session) do(ctx context.Context, interfaces []rpc.Interface, calls []*rpc.Outgoing) error {
	if err := s.conn.Bind(ctx, interfaces...); err != nil {
		return err
	}
	return s.conn.Do(ctx, calls...)
}

// take reads an answer.
func (m *Method) take(stub []byte) error {
	n := Read(stub)
	(&That{}).Code(n)
	if m.Out != nil {
		m.Out(n)
	}
	var r Result
	r.Code(n)
	m.Err = nil
	if r.Failed() {
		m.Err = r
	}
	return n.End()
}

// Interface reads an interface of an object that a method answers; the session holds it.
func (s *Session) Interface(n *NDR, iid GUID, o *Object) {
	var b []byte
	if n.Interface(&b); b == nil || n.Err() != nil {
		*o = Object{none: true}
		return
	}
	var r Reference
	if err := Decode(b, &r); err != nil {
		n.Fail("%v", err)
		return
	}
	if *o = s.hold(&r); r.IID != iid {
		n.Fail("a reference to another interface")
	}
}

// hold notes references that the host counted. Those to objects of other processes are not
// followed, not even to give them back.
func (s *Session) hold(r *Reference) Object {
	o := Object{IID: r.IID, IPID: r.IPID, foreign: r.OXID != s.created.OXID}
	switch {
	case o.foreign:
	case r.Public == 0:
		s.uncounted = append(s.uncounted, r.IPID)
	default:
		s.held = append(s.held, Counted{IPID: r.IPID, Public: r.Public})
	}
	return o
}

// mostCounted is how many references are counted by a call.
const mostCounted = 1000

// count asks for references to what came without any.
func (s *Session) count(ctx context.Context) error {
	for len(s.uncounted) > 0 {
		part := s.uncounted[:min(len(s.uncounted), mostCounted)]
		s.uncounted = s.uncounted[len(part):]
		list := make(CountedList, len(part))
		for i, ipid := range part {
			list[i] = Counted{IPID: ipid, Public: 1}
		}
		var results Results
		m := &Method{Object: s.unknown(), Op: OpRemAddRef, Name: "ask for references", In: list.Code, Out: func(n *NDR) {
			results.Code(n)
			if len(results) != len(list) {
				n.Fail("%d results for %d references", len(results), len(list))
			}
		}}
		if err := s.call(ctx, []*Method{m}); err != nil {
			return err
		}
		if m.Err != nil {
			return m.Err
		}
		for i, r := range results {
			if r.Failed() {
				return r
			}
			s.held = append(s.held, list[i])
		}
	}
	return nil
}

func (s *Session) unknown() Object { return Object{IID: IRemUnknown, IPID: s.created.RemUnknown} }

// lastWords is how long giving references back may take.
const lastWords = 10 * time.Second

// End gives all references back, whatever became of ctx and of the connection, and ends the
// session. What the host answers changes nothing.
func (s *Session) End(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	s.uncounted = nil
	for again := s.port != 0; len(s.held) > 0; {
		if !s.conn.whole() { // it may have ended after the last answer
			s.host.give(s.conn)
			if s.conn = (connection{}); !again || s.connect(ctx, false) != nil {
				break
			}
			again = false
		}
		part := s.held[:min(len(s.held), mostCounted)]
		if err := s.call(ctx, []*Method{{Object: s.unknown(), Op: OpRemRelease, Name: "give references back", In: part.Code}}); err == nil || s.conn.whole() {
			s.held = s.held[len(part):]
		}
	}
	s.host.give(s.conn)
	s.conn, s.held = connection{}, nil
}
