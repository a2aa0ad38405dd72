package logs

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
)

// WriteEvents writes down what hosts wrote of themselves, with the times at which rows are written,
// where the format keeps that. None is said, too: that they were read. The file has eventlist.Most of them in the end, of which the least
// severe and oldest go first.
func WriteEvents(w Writer, events []session.HostEvent) error {
	if r, ok := w.(*resumed); ok {
		w = r.Writer
	}
	if keeper, ok := w.(eventWriter); ok {
		return keeper.writeEvents(events)
	}
	return nil
}

type eventWriter interface {
	writeEvents(events []session.HostEvent) error
}

// KeepsEvents tells whether files of the format keep events of hosts.
func (f *Format) KeepsEvents() bool { return f.events != nil }

// NoEvents says that a file of the format cannot have events that are there; nil: it can.
func (f *Format) NoEvents(file string) error {
	if f.KeepsEvents() {
		return nil
	}
	return &FileError{File: file, Err: fmt.Errorf("%w %s cannot keep", errEvents, f.Title), Advice: ".db and .json files keep them"}
}

var errEvents = errors.New("the host's events are left out, which")

// eventsRead are those of a file, and how many were left out as no events.
type eventsRead struct {
	list []session.HostEvent
	kept bool // that there are none is known
	left int
}

func (r *eventsRead) take(e session.HostEvent) {
	if !e.Settle() {
		r.left++
		return
	}
	r.list = append(r.list, e)
	if len(r.list) >= 2*eventlist.Most {
		r.bound()
	}
}

func (r *eventsRead) bound() { r.list = eventlist.Bound(r.list, eventlist.Most) }

// Events are what recordings have of their hosts' own events, from a time on and up to another, in
// order of time. Zero times are no limits. place makes times those of a recording's line, in the
// order in which they were written; nil: they are what they are. kept tells that some recording
// keeps them, be it none. What could not be read is in damaged, and the rest is there.
func Events(ctx context.Context, recordings []string, place func(times ...*time.Time), begin, end time.Time) (events []session.HostEvent, kept bool, damaged []error) {
	var lists [][]session.HostEvent
	for _, name := range recordings {
		set := ""
		if file, behind, ok := strings.Cut(name, "!"); ok {
			if _, err := os.Stat(name); err != nil {
				name, set = file, behind
			}
		}
		f, err := Detect(name)
		if err != nil || f.events == nil {
			continue // its counters tell that it cannot be read
		}
		read, err := f.events(ctx, name, set)
		if err == nil && read.left > 0 {
			err = &FileError{File: name, Err: fmt.Errorf("%s could not be read", english.Count(read.left, "event of a host", "events of hosts"))}
		}
		if err != nil {
			damaged = append(damaged, err)
		}
		if place != nil {
			eventlist.Move(read.list, place)
		}
		lists, kept = append(lists, read.list), kept || read.kept || len(read.list) > 0
	}
	return eventlist.Within(eventlist.Merge(lists...), begin, end), kept, damaged
}

// eventCells are the columns of PerfdeckHostEvent.
var eventCells = []string{"SetNo", "Time", "Until", "Own", "Count", "AtLeast", "Host", "Level", "Log", "Source", "ID", "Unit", "PID", "Known", "Names", "Text"}

const (
	eventSchema = `CREATE TABLE IF NOT EXISTS PerfdeckHostEvent (
	SetNo int NOT NULL,
	Time int NOT NULL,
	Until int NOT NULL,
	Own int,
	Count int NOT NULL,
	AtLeast int NOT NULL,
	Host text NOT NULL,
	Level int NOT NULL,
	Log text NOT NULL,
	Source text NOT NULL,
	ID text NOT NULL,
	Unit text NOT NULL,
	PID int NOT NULL,
	Known text NOT NULL,
	Names text NOT NULL,
	Text text NOT NULL);`
	eventTable = "PerfdeckHostEvent"
	severity   = "max(Level, 2 * (Known IN ('" + session.EventGap + "', '" + session.EventCleared + "', '" + session.EventMore + "', '" + session.EventDenied + "')))" // as eventlist.Bound has it
	// spareEvents is how many more than eventlist.Most a file may have until some go.
	spareEvents = 1000
)

// writeEvents keeps events of hosts in a table of their own, which is made with the first.
func (w *sqliteWriter) writeEvents(events []session.HostEvent) error {
	if w.err != nil {
		return w.err
	}
	err := w.insertEvents(events)
	if err != nil {
		w.fail(err)
	}
	return err
}

func (w *sqliteWriter) insertEvents(events []session.HostEvent) error {
	if w.event == nil {
		if err := w.prepareEvents(); err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	err := w.begin()
	for i := range events {
		e := events[i]
		if err != nil {
			return err
		}
		if !e.Settle() {
			continue
		}
		own := driver.Value(nil)
		if !e.Own.IsZero() {
			own = e.Own.UnixNano()
		}
		w.events++
		err = w.event.exec(named([]driver.Value{
			w.set, e.Time.UnixNano(), e.Until.UnixNano(), own, int64(e.Count), asInt(e.AtLeast), e.Host, int64(e.Level), e.Log, e.Source, e.ID, e.Unit,
			int64(e.PID), e.Known, strings.Join(e.Names, "\n"), e.Text,
		}))
	}
	if over := w.events - eventlist.Most; err == nil && over > spareEvents {
		w.events = eventlist.Most
		err = w.db.exec("DELETE FROM "+eventTable+" WHERE rowid IN (SELECT rowid FROM "+eventTable+" WHERE SetNo = ? ORDER BY "+severity+", Time LIMIT ?)", w.set, over)
	}
	if err != nil || w.options.Buffered {
		return err
	}
	return w.commit()
}

func (w *sqliteWriter) prepareEvents() (err error) {
	if err = w.commit(); err != nil {
		return err
	}
	if err = w.db.exec(eventSchema); err != nil {
		return err
	}
	if ok, err := w.db.has(eventTable, eventCells...); err != nil || !ok {
		return cmpError(err, w.db.unknown("its table %s is not as it is written here", eventTable))
	}
	if w.events, err = w.db.number("SELECT count(*) FROM "+eventTable+" WHERE SetNo = ?", w.set); err != nil {
		return err
	}
	w.event, err = w.db.prepare("INSERT INTO " + eventTable + " VALUES (?" + strings.Repeat(", ?", len(eventCells)-1) + ")")
	return err
}

// sqliteEvents reads the events of a set. Texts are cut before they are taken, and the newest and
// most severe are taken alone, as others may have written any number of any length.
func sqliteEvents(ctx context.Context, name, set string) (r eventsRead, err error) {
	db, err := openToRead(ctx, name)
	if err != nil {
		return r, err
	}
	defer db.close() //nolint:errcheck // it was only read
	packed, err := db.has("PerfdeckPacked")
	if err != nil || !packed {
		return r, err
	}
	db.layout = packedLayout
	if there, err := db.has(eventTable, eventCells...); err != nil || !there {
		return r, err
	}
	r.kept = true
	s, err := findSet(db, set)
	if err != nil {
		return r, err
	}
	columns := slices.Clone(eventCells[1:])
	for i, c := range columns {
		columns[i] = "CASE typeof(" + c + ") WHEN 'text' THEN substr(" + c + ", 1, 16000) WHEN 'blob' THEN NULL ELSE " + c + " END"
	}
	const good = " WHERE SetNo = ? AND typeof(Time) = 'integer' AND typeof(Level) = 'integer' AND Level BETWEEN 0 AND 3"
	read := func(which string) error {
		return db.each("SELECT "+strings.Join(columns, ", ")+" FROM "+eventTable+which, []driver.Value{s.key, int64(eventlist.Most)}, func(c *results) error {
			r.take(eventOf(c))
			return nil
		})
	}
	err = read(" WHERE rowid IN (SELECT rowid FROM " + eventTable + good + " ORDER BY " + severity + " DESC, Time DESC LIMIT ?)")
	if isDamage(err) { // what stands before it
		r.list, r.left = nil, 1
		if err = read(good + " LIMIT ?"); isDamage(err) {
			err = nil
		}
	} else if err == nil {
		var bad int64
		bad, err = db.number("SELECT count(*) FROM "+eventTable+" WHERE SetNo = ? AND NOT (typeof(Time) = 'integer' AND typeof(Level) = 'integer' AND Level BETWEEN 0 AND 3)", s.key)
		r.left += int(bad)
	}
	r.bound()
	return r, err
}

// eventOf is the event of a row.
func eventOf(c *results) session.HostEvent {
	e := session.HostEvent{
		Time: time.Unix(0, c.int(0)).UTC(), Until: time.Unix(0, c.int(1)).UTC(), Count: int(min(c.int(3), 1<<30)), AtLeast: c.int(4) != 0, Host: c.text(5),
		Level: session.EventLevel(c.int(6)), Log: c.text(7), Source: c.text(8), ID: c.text(9), Unit: c.text(10), PID: uint64(c.int(11)), Known: c.text(12), Text: c.text(14),
	}
	if c.isInt(2) {
		e.Own = time.Unix(0, c.int(2)).UTC()
	}
	if names := c.text(13); names != "" {
		e.Names = strings.Split(names, "\n")
	}
	return e
}

// jsonEventKey begins a line of JSON that is an event and has nothing else: {"event":{"time":...}},
// or tells that there may be some: {"event":null}.
const jsonEventKey = `{"event":`

// writeEvents writes a line for each. Those that were written stay: who reads leaves the least severe
// and oldest out.
func (j *jsonWriter) writeEvents(events []session.HostEvent) error {
	j.line = j.line[:0]
	if !j.keeps {
		j.keeps = true
		j.line = append(append(j.line, jsonEventKey...), "null}\n"...)
	}
	for i := range events {
		e := events[i]
		if !e.Settle() {
			continue
		}
		j.line = append(eventlist.AppendJSON(append(j.line, jsonEventKey...), &e), "}\n"...)
	}
	if len(j.line) == 0 {
		return nil
	}
	return j.out.write(j.line)
}

// isJSONEvent tells a line that is an event, or was to be one.
func isJSONEvent(line []byte) bool { return bytes.HasPrefix(line, []byte(jsonEventKey)) }

// jsonEvents reads the lines that are events.
func jsonEvents(ctx context.Context, name, _ string) (r eventsRead, err error) {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return r, err
	}
	defer file.Close()
	const longest = 64 << 10 // of an event, all of it escaped
	lines := bufio.NewReaderSize(osfile.Until(ctx, file), longest)
	begins := true
	for {
		text, err := lines.ReadSlice('\n')
		goesOn := errors.Is(err, bufio.ErrBufferFull)
		if begins && isJSONEvent(text) {
			var line struct {
				Event *session.HostEvent `json:"event"`
			}
			if goesOn || err != nil || json.Unmarshal(text, &line) != nil {
				r.left++
			} else if r.kept = true; line.Event != nil {
				r.take(*line.Event)
			}
		}
		begins = !goesOn
		if err != nil && !goesOn {
			if r.bound(); errors.Is(err, io.EOF) {
				err = nil
			}
			return r, err
		}
	}
}
