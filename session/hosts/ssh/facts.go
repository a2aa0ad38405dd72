package ssh

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// query adds to what MS-PCQ reads what it has no room for: the numbers of rows, which
// stay, once for each; the facts of rows that are shown, every few seconds.
type query struct {
	session.Query

	source *Source
	lease  *rpc.Lease
	wants  []session.Want                    // as they were asked for
	known  map[*session.Counterset]knownRows // by the sets of wants
}

// factAge is how old facts that are shown may be.
const factAge = 5 * time.Second

// knownRows is what is known of the rows of one counterset.
type knownRows map[session.InstanceKey]*rowNotes

// rowNotes is what is known of a row.
type rowNotes struct {
	sidechannel.Row

	facts map[string]string
	at    time.Time // of facts
	seen  bool      // in this batch
}

// Select implements session.Query.
func (q *query) Select(ctx context.Context, wants []session.Want) error {
	q.wants = slices.Clone(wants)
	inner := slices.Clone(wants)
	s := q.source
	s.mu.Lock()
	for i := range inner {
		if set := s.lookup[inner[i].Set]; set != nil {
			inner[i].Set = set
		}
		inner[i].Facts = session.FactWant{}
	}
	s.mu.Unlock()
	return q.Query.Select(ctx, inner)
}

// Collect implements session.Query.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	if err := q.Query.Collect(ctx, b); err != nil {
		return err
	}
	for i := range q.wants {
		w, set := &q.wants[i], &b.Sets[i]
		set.Set = w.Set
		if !b.IsDue(i) || set.Err != nil || len(w.Set.Facts) == 0 && !w.Set.IsOfInterfaces() {
			continue
		}
		if err := q.complete(ctx, w, set, b.Time); err != nil {
			return rpc.HostError(q.source.o.Name(), "read facts", err)
		}
	}
	return nil
}

// Close implements session.Query.
func (q *query) Close() error {
	err := q.Query.Close()
	_ = q.lease.Close() // others may hold it still
	return err
}

// complete fills in what is known of the rows of a batch, and asks for what is not.
func (q *query) complete(ctx context.Context, w *session.Want, b *session.SetBatch, now time.Time) error {
	book := q.known[w.Set]
	if book == nil {
		book = knownRows{}
		q.known[w.Set] = book
	}
	bare, shown := book.lacks(w, b, now)
	if err := q.ask(ctx, w.Set, book, bare, nil, now); err != nil {
		return err
	}
	if err := q.ask(ctx, w.Set, book, shown, w.Facts.Keys, now); err != nil {
		return err
	}
	book.fill(w, b)
	return nil
}

// lacks finds the rows of which nothing is known, and those that are shown and whose
// facts are missing or old: of one whose facts are asked for all is.
func (k knownRows) lacks(w *session.Want, b *session.SetBatch, now time.Time) (bare, shown []session.InstanceKey) {
	for _, r := range k {
		r.seen = false
	}
	wanted := map[session.InstanceKey]bool{}
	for _, key := range w.Facts.Rows {
		wanted[key] = true
	}
	for i := range b.Instances {
		key := b.Instances[i].Key
		r := k[key]
		fresh := r != nil && now.Sub(r.at) < factAge && r.has(w.Facts.Keys)
		switch {
		case b.Instances[i].Flags&session.FlagTotal != 0:
		case len(w.Facts.Keys) > 0 && (wanted[key] || w.Facts.All) && !fresh:
			shown = append(shown, key)
		case r == nil:
			bare = append(bare, key)
		}
		if r != nil {
			r.seen = true
		}
	}
	maps.DeleteFunc(k, func(_ session.InstanceKey, r *rowNotes) bool { return !r.seen })
	return bare, shown
}

func (r *rowNotes) has(keys []string) bool {
	for _, key := range keys {
		if _, ok := r.facts[key]; !ok {
			return false
		}
	}
	return true
}

// ask asks about rows, so many at a time.
func (q *query) ask(ctx context.Context, set *session.Counterset, book knownRows, rows []session.InstanceKey, keys []string, now time.Time) error {
	for part := range slices.Chunk(rows, sidechannel.MaxRows/4) {
		question := &sidechannel.Question{Set: set.GUID, Keys: keys}
		for _, key := range part {
			question.Rows = append(question.Rows, sidechannel.RowID{ID: uint32(key.ID), Name: key.Name})
		}
		a, err := q.lease.AskRows(ctx, sidechannel.Encode(question), rpc.MaxRows)
		if err != nil {
			return err
		}
		if a.Code != rpc.CodeOK { // the values are there all the same
			continue
		}
		answer, err := sidechannel.ParseAnswer(question, a.Data)
		if err != nil {
			return fmt.Errorf("ask about rows: %w", err)
		}
		for i, key := range part {
			book.note(key, answer.Rows[i], keys, now)
		}
	}
	return nil
}

// note keeps what was told of a row; nil: it is gone, which the next batch tells.
func (k knownRows) note(key session.InstanceKey, row *sidechannel.Row, keys []string, now time.Time) {
	r := k[key]
	if r == nil {
		r = &rowNotes{facts: map[string]string{}}
		k[key] = r
	}
	r.at = now
	if row != nil {
		r.Row = *row
	}
	for i, name := range keys {
		r.facts[name] = ""
		if i < len(r.Facts) {
			r.facts[name] = printable.Text(r.Facts[i])
		}
	}
	r.Facts = nil
}

// fill puts into a batch what is known of its rows.
func (k knownRows) fill(w *session.Want, b *session.SetBatch) {
	b.FactKeys, b.Facts = w.Facts.Keys, b.Facts[:0]
	for i := range b.Instances {
		in := &b.Instances[i]
		var facts map[string]string
		if r := k[in.Key]; r != nil {
			facts = r.facts
			in.Number, in.Owner = r.Number, r.Owner
			in.Flags &^= session.FlagBackground // by its name
			if r.Hidden {
				in.Flags |= session.FlagBackground
			}
			if r.Idle {
				in.Flags |= session.FlagIdle
			}
		}
		for _, name := range w.Facts.Keys {
			b.Facts = append(b.Facts, facts[name])
		}
	}
}
