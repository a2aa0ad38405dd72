package eventlog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/rpc"
)

// Conn is a connection to what has the logs of a host. What a call results in is its Code; its
// error says that there is no result. *rpc.Client is one.
type Conn interface {
	OpenLog(ctx context.Context, name string) (rpc.Handle, rpc.Code, error)
	// LogNumber and LogOldest are how many records there are, and the number of the first.
	LogNumber(ctx context.Context, log rpc.Handle) (uint32, rpc.Code, error)
	LogOldest(ctx context.Context, log rpc.Handle) (uint32, rpc.Code, error)
	// ReadLog reads records from that number on into size bytes.
	ReadLog(ctx context.Context, log rpc.Handle, how rpc.LogRead, number, size uint32) (rpc.LogPart, error)
	CloseLog(ctx context.Context, log rpc.Handle) error
	Close() error
}

// Options say who is asked.
type Options struct {
	Host string
	Dial func(ctx context.Context) (Conn, error)
	// Ahead is by how much the host's clock is ahead of ours; nil, or false: that is not known.
	Ahead   func() (time.Duration, bool)
	Right   string      // what opens a log that is denied
	Refused func(error) // hears that all of them are; may be nil
}

// RemoteRight is what opens the logs of a host to an account that comes over the network.
const RemoteRight = "event logs are open to administrators and to members of Event Log Readers"

// logs are what is read: a log that the host does not know would open Application (E 3.1.4.3).
var logs = [...]string{"System", "Application"}

const (
	every       = 10 * time.Second
	partBytes   = 32 << 10               // a reply is as long as what is asked for, whatever is in it
	mostBytes   = 0x3ffff                // of a record
	mostRecords = 1000                   // of a log, at a first look
	mostParts   = 8                      // of a log, by one Read
	pause       = 400 * time.Millisecond // before the next where more is left: a flood costs little
	closeWithin = 2 * time.Second
)

// What reads result in where there is nothing, and where a record is longer than what was asked
// for: by MS-EVEN, and by Windows' own functions.
var (
	codesNothing  = []rpc.Code{0xC0000011, 0xC000000D, 38, rpc.CodeInvalidParameter} // at the end, beyond it
	codesTooSmall = []rpc.Code{0xC0000023, 122}
)

// reader reads the events of a host.
type reader struct {
	o    Options
	from time.Time
	conn Conn
	logs []*log
	out  session.HostEvents
	more bool  // was left by the last Read
	err  error // after what was read before it
}

// log is how far a log was read.
type log struct {
	name   string
	handle rpc.Handle
	last   *place // nil: a first look is due
	old    bool   // last is of another reader
}

// place is the record that was read last. A log that is cleared gives its number once more.
type place struct {
	Number uint32 `json:"number"`
	Time   int64  `json:"time"`            // Unix seconds; 0: not known
	Empty  bool   `json:"empty,omitempty"` // there was none
}

// New begins to read the events of a host: it connects and opens the logs. One that is refused is told where the other is open.
func New(ctx context.Context, o Options, from session.EventsFrom) (session.EventReader, error) {
	r, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	r.from = from.Time
	var places map[string]*place
	_ = json.Unmarshal([]byte(from.Cursor), &places) // what cannot be read is no place
	for _, name := range logs {
		l, code, failed := r.open(ctx, name)
		if failed != nil {
			_ = r.Close()
			return nil, failed
		}
		if code != rpc.CodeOK {
			err = r.refused(name, code)
			e := ofLog(name, session.EventDenied, time.Now())
			e.Text = printable.Text(err.Error())
			r.out.Add(e)
			continue
		}
		l.last, l.old = places[name], true
		r.logs = append(r.logs, l)
	}
	if len(r.logs) == 0 {
		if o.Refused != nil && errors.Is(err, session.ErrDenied) {
			o.Refused(err)
		}
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// Try reads of the log System what tells that it can be read: how many records it has, and when
// the newest was written, by the host's clock; zero: there is none.
func Try(ctx context.Context, o Options) (records uint32, newest time.Time, err error) {
	r, err := connect(ctx, o)
	if err != nil {
		return 0, newest, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	l, code, err := r.open(ctx, logs[0])
	if err == nil && code != rpc.CodeOK {
		err = r.refused(l.name, code)
	}
	if err != nil {
		return 0, newest, err
	}
	r.logs = []*log{l}
	oldest, records, err := r.span(ctx, l)
	if err != nil || records == 0 {
		return records, newest, err
	}
	part, bad, err := r.part(ctx, l, rpc.LogBackwards, oldest+records-1)
	if len(part) > 0 {
		newest = part[0].time
	}
	return records, newest, cmp.Or(err, bad)
}

func connect(ctx context.Context, o Options) (*reader, error) {
	conn, err := o.Dial(ctx)
	if why, ok := errors.AsType[*rpc.Error](err); ok && why.Code.IsDenied() && !rpc.IsWrongPassword(err) {
		err = failure.WithHint(err, o.Right)
	}
	if err != nil {
		return nil, err
	}
	return &reader{o: o, conn: conn}, nil
}

func (r *reader) open(ctx context.Context, name string) (l *log, code rpc.Code, err error) {
	l = &log{name: name}
	l.handle, code, err = r.conn.OpenLog(ctx, name)
	return l, code, err
}

// refused is the error of a result.
func (r *reader) refused(log string, code rpc.Code) error {
	err := error(&rpc.Error{Op: "read event log " + log, Host: r.o.Host, Code: code})
	if code.IsDenied() {
		err = failure.WithHint(err, r.o.Right)
	}
	return err
}

// Every implements session.EventReader.
func (r *reader) Every() time.Duration { return every }

// Cursor implements session.EventReader.
func (r *reader) Cursor() string {
	places := map[string]*place{}
	for _, l := range r.logs {
		places[l.name] = l.last
	}
	text, err := json.Marshal(places)
	if err != nil {
		return ""
	}
	return string(text)
}

// Close implements session.EventReader.
func (r *reader) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	for _, l := range r.logs {
		_ = r.conn.CloseLog(ctx, l.handle)
	}
	return r.conn.Close()
}

// Read implements session.EventReader.
func (r *reader) Read(ctx context.Context) (events []session.HostEvent, more bool, err error) {
	if r.more && !session.Sleep(ctx, pause) {
		return nil, true, context.Cause(ctx)
	}
	for _, l := range r.logs {
		if r.err == nil {
			var isMore bool
			isMore, r.err = r.read(ctx, l)
			more = more || isMore
		}
	}
	events, r.out, r.more = r.out.All(), session.HostEvents{}, more
	if len(events) > 0 && r.err != nil {
		return events, true, nil //nolint:nilerr // what was read is told first, the error by the next Read
	}
	return events, more, r.err
}

// read reads what is new in a log, so many parts of it at most.
func (r *reader) read(ctx context.Context, l *log) (more bool, err error) {
	oldest, count, err := r.span(ctx, l)
	if err != nil {
		return false, err
	}
	newest := oldest + count - 1 // numbers wrap
	if l.last != nil && !l.last.Empty && (count == 0 || int32(newest-l.last.Number) < 0) {
		r.cleared(l)
	}
	switch {
	case count == 0:
		l.last = &place{Empty: true}
		return false, nil
	case l.last == nil || l.old && (l.last.Empty || newest-l.last.Number > mostRecords):
		return false, r.look(ctx, l, oldest, newest)
	case l.last.Number == newest && !l.last.Empty && !l.old:
		return false, nil
	}
	for i := range mostParts {
		more, err = r.forwards(ctx, l, oldest, newest, i == 0)
		if err != nil || !more || l.old { // of a log that was cleared meanwhile not all may be wanted
			return more, err
		}
	}
	return true, nil
}

// span is the number of the first record of a log, and how many there are.
func (r *reader) span(ctx context.Context, l *log) (oldest, count uint32, err error) {
	count, code, err := r.conn.LogNumber(ctx, l.handle)
	if err == nil && code == rpc.CodeOK {
		oldest, code, err = r.conn.LogOldest(ctx, l.handle)
	}
	if err == nil && code != rpc.CodeOK {
		err = r.refused(l.name, code)
	}
	return oldest, count, err
}

// look reads backwards, to the oldest that is wanted.
func (r *reader) look(ctx context.Context, l *log, oldest, newest uint32) error {
	ahead, _ := r.ahead()
	wanted := r.from.Add(ahead).Truncate(time.Second) // as records have it
	last := &place{Number: newest}
	var all []record
	var lost error // why what is wanted is not all
	for isDone := false; !isDone; {
		number := newest - uint32(len(all))
		part, bad, err := r.part(ctx, l, rpc.LogBackwards, number)
		if err != nil {
			return err
		}
		if isDone, lost = bad != nil || len(part) == 0, bad; len(part) == 0 {
			lost = cmp.Or(bad, errOver)
		}
		for i := range part {
			p := &part[i]
			if len(all) == 0 && p.number == newest {
				last.Time = p.time.Unix()
			}
			switch {
			case p.number != number-uint32(i):
				lost = damaged("its number")
			case p.time.Before(wanted):
			case len(all) == mostRecords:
				lost = errMore
			default:
				all = append(all, *p)
				isDone = isDone || p.number == oldest
				continue
			}
			isDone = true
			break
		}
	}
	l.last, l.old = last, false
	if lost != nil {
		until := time.Now()
		if len(all) > 0 {
			until = r.ours(all[len(all)-1].time)
		}
		r.gap(l, r.from, until, lost)
	}
	for i := range all {
		r.take(l, &all[len(all)-1-i])
	}
	return nil
}

// forwards reads a part of what is new, as the first one from what was read last on: that is to be
// there still. It is false where there is no more.
func (r *reader) forwards(ctx context.Context, l *log, oldest, newest uint32, isFirst bool) (more bool, err error) {
	last := *l.last
	number := last.Number + 1
	switch {
	case last.Empty || int32(oldest-number) > 0: // it, and more, was written over
		number = oldest
	case isFirst && last.Time != 0 && number != oldest:
		number--
	}
	part, bad, err := r.part(ctx, l, rpc.LogForwards, number)
	if err != nil {
		return false, err
	}
	more = len(part) > 0
	if more && !last.Empty && part[0].number == last.Number {
		if part[0].time.Unix() != last.Time {
			r.cleared(l)
			return true, nil
		}
		part = part[1:]
	}
	l.old = false
	for i := range part {
		p := &part[i]
		if !l.last.Empty {
			skipped := int32(p.number - l.last.Number - 1)
			if skipped < 0 {
				bad = damaged("its number")
				break
			}
			if skipped > 0 {
				r.gap(l, r.since(l), r.ours(p.time), errOver)
			}
		}
		r.take(l, p)
		l.last = &place{Number: p.number, Time: p.time.Unix()}
	}
	if bad != nil { // go on behind it
		r.gap(l, r.since(l), time.Now(), bad)
		l.last = &place{Number: newest}
	}
	return more && bad == nil && (l.last.Empty || int32(newest-l.last.Number) > 0), nil
}

var (
	errOver = errors.New("records were written over before they were read")
	errMore = errors.New("there are more records than are read at first")
)

// part reads records from a number on; none: there are none. Those before a damaged one are good.
func (r *reader) part(ctx context.Context, l *log, how rpc.LogRead, number uint32) (records []record, bad, err error) {
	size := uint32(partBytes)
	for {
		p, err := r.conn.ReadLog(ctx, l.handle, how, number, size)
		switch {
		case err != nil:
			return nil, nil, err
		case slices.Contains(codesTooSmall, p.Code) && p.Needed > size && p.Needed <= mostBytes:
			size = p.Needed
			continue
		case slices.Contains(codesTooSmall, p.Code):
			return nil, damaged("how long it is"), nil
		case slices.Contains(codesNothing, p.Code):
			return nil, nil, nil
		case p.Code != rpc.CodeOK:
			return nil, nil, r.refused(l.name, p.Code)
		}
		for rest := p.Data; len(rest) > 0; {
			var one record
			if one, rest, err = next(rest); err != nil {
				return records, err, nil
			}
			records = append(records, one)
		}
		return records, nil, nil
	}
}

// event is what a record says.
func event(log string, p *record) session.HostEvent {
	e := session.HostEvent{Count: 1, Level: p.level, Log: log, Source: printable.Shorten(p.source, mostNameRunes), ID: strconv.Itoa(int(p.id))}
	e.Text = printable.Shorten(strings.Join(p.inserts, "; "), session.MostEventText)
	understood(&e, p)
	return e
}

// take adds a record to what was read. What only informs is left out, but where it is known to matter.
func (r *reader) take(l *log, p *record) {
	e := event(l.name, p)
	if e.Level == session.EventInformation && e.Known == "" {
		return
	}
	ahead, known := r.ahead()
	if e.Time = p.time.Add(-ahead); known {
		e.Own = p.time
	}
	e.Until = e.Time
	r.out.Add(e)
}

// cleared tells that a log was cleared: all that is in it is new.
func (r *reader) cleared(l *log) {
	r.out.Add(ofLog(l.name, session.EventCleared, time.Now()))
	l.last = &place{Empty: true}
}

// ofLog is an event that tells of a log.
func ofLog(name, key string, at time.Time) session.HostEvent {
	return session.HostEvent{Time: at, Until: at, Count: 1, Level: session.EventWarning, Log: name, Known: key, Names: []string{name}}
}

// gap tells from when to when a log was not read, and why; from is zero where that is not known.
func (r *reader) gap(l *log, from, until time.Time, why error) {
	e := session.GapOf(l.name, from, until)
	e.Text = printable.Text(why.Error())
	r.out.Add(e)
}

// ahead is by how much the host's clock is ahead of ours.
func (r *reader) ahead() (by time.Duration, known bool) {
	if r.o.Ahead == nil {
		return 0, false
	}
	return r.o.Ahead()
}

// since is when what was read last of a log was written, by our clock; zero: it is not known.
func (r *reader) since(l *log) time.Time {
	if l.last.Time == 0 {
		return time.Time{}
	}
	return r.ours(time.Unix(l.last.Time, 0))
}

// ours is a time of the host's clock on ours, where that is known.
func (r *reader) ours(t time.Time) time.Time {
	by, _ := r.ahead()
	return t.Add(-by)
}
