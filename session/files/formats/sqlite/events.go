package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
)

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

// WriteEvents keeps events of hosts in a table of their own, which is made with the first.
func (w *writer) WriteEvents(events []session.HostEvent) error {
	if w.err != nil {
		return w.err
	}
	err := w.insertEvents(events)
	if err != nil {
		w.fail(err)
	}
	return err
}

func (w *writer) insertEvents(events []session.HostEvent) error {
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

func (w *writer) prepareEvents() (err error) {
	if err = w.commit(); err != nil {
		return err
	}
	if err = w.db.exec(eventSchema); err != nil {
		return err
	}
	if ok, err := w.db.has(eventTable, eventCells...); err != nil || !ok {
		return cmp.Or(err, w.db.unknown("its table %s is not as it is written here", eventTable))
	}
	if w.events, err = w.db.number("SELECT count(*) FROM "+eventTable+" WHERE SetNo = ?", w.set); err != nil {
		return err
	}
	w.event, err = w.db.prepare("INSERT INTO " + eventTable + " VALUES (?" + strings.Repeat(", ?", len(eventCells)-1) + ")")
	return err
}

// Events reads the events of a set. Texts are cut before they are taken, and the newest and
// most severe are taken alone, as others may have written any number of any length.
func Events(ctx context.Context, name, set string) (r eventlist.Gathered, err error) {
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
	r.Kept = true
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
			r.Take(eventOf(c))
			return nil
		})
	}
	err = read(" WHERE rowid IN (SELECT rowid FROM " + eventTable + good + " ORDER BY " + severity + " DESC, Time DESC LIMIT ?)")
	if isDamage(err) { // what stands before it
		r.List, r.Left = nil, 1
		if err = read(good + " LIMIT ?"); isDamage(err) {
			err = nil
		}
	} else if err == nil {
		var bad int64
		bad, err = db.number("SELECT count(*) FROM "+eventTable+" WHERE SetNo = ? AND NOT (typeof(Time) = 'integer' AND typeof(Level) = 'integer' AND Level BETWEEN 0 AND 3)", s.key)
		r.Left += int(bad)
	}
	r.Bound()
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
