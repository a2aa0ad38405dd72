package browser

import (
	"context"
	"errors"
	"time"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// Instances of which there are very many are listed by their names, those that a text is in, and
// values are read of those in view alone.

// naming is a counterset of a host whose instances are asked for by name.
type naming struct {
	host *pane.Host
	set  *session.Counterset
}

// named is what was told of them.
type named struct {
	text  string // that they are to have in their names
	asked string // the same, of the answer
	at    time.Time
	busy  bool
	keys  []session.InstanceKey
	more  bool // there are others
	many  bool // there are so many that they are not read
	err   error
}

// Bounds of what is named.
const (
	mostNamed   = 500
	namedFor    = time.Minute
	namedWithin = 30 * time.Second
)

// namesOf is what is known of the names of a counterset's instances on a host; nil: they are read.
func (b *Browser) namesOf(o *offer) *named {
	c := b.counters.Row()
	if o.place.host == nil || o.place.host.Namer == nil || o.set.From == "" || !o.set.Instances.Multiple() || c == nil {
		return nil
	}
	for _, is := range c.offers {
		if is.offer == *o {
			at := naming{o.place.host, o.set}
			if b.names == nil {
				b.names = map[naming]*named{}
			}
			if b.names[at] == nil {
				b.names[at] = new(named)
			}
			return b.askNames(at, is.counter, b.names[at])
		}
	}
	return nil
}

// askNames asks for names that are not known, or not of what was typed last.
func (b *Browser) askNames(at naming, counter int, n *named) *named {
	known := n.asked == n.text && !n.at.IsZero() && b.desk.Now().Sub(n.at) < namedFor
	if n.busy || known {
		return n
	}
	n.busy = true
	text := n.text
	b.desk.Wait("", func() func(bool) {
		ctx, cancel := context.WithTimeout(context.Background(), namedWithin)
		defer cancel()
		keys, more, err := at.host.Namer.Instances(ctx, at.set, counter, text, mostNamed)
		return func(bool) {
			n.busy, n.asked, n.at, n.err = false, text, b.desk.Now(), err
			if err == nil || errors.Is(err, errors.ErrUnsupported) {
				n.keys, n.more = keys, more
				n.many = more || n.many && text != ""
			}
			b.listInstances()
			b.stale = true
		}
	})
	return n
}

// isMany tells that instances of a counterset are listed by their names.
func (n *named) isMany() bool { return n != nil && n.many }

// isAwaited tells that it is not known yet whether they are.
func (n *named) isAwaited() bool { return n != nil && n.at.IsZero() }

// askMany asks for the values of the instances in view alone.
func (b *Browser) askMany(ask *session.Ask, shown *seen) {
	for _, r := range inView(&b.instances) {
		if r.wild == "" && r.key != (session.InstanceKey{}) {
			ask.Facts.Rows = append(ask.Facts.Rows, r.key)
		}
	}
	if shown.key != (session.InstanceKey{}) {
		ask.Facts.Rows = append(ask.Facts.Rows, shown.key)
	}
	ask.Leads = []session.Lead{{By: ask.Counters[0]}}
}

// manyNames are the names of the counterset that is shown, if they are too many to be read.
func (b *Browser) manyNames() (out []*named) {
	for i := range b.asked {
		if n := b.namesOf(&b.asked[i]); n.isMany() {
			out = append(out, n)
		}
	}
	return out
}

// searchInstances asks for a part of the names of instances, and for those as it is typed.
func (b *Browser) searchInstances(all []*named) {
	find := func(text string) error {
		for _, n := range all {
			n.text = text
		}
		b.manyNames()
		b.stale = true
		return nil
	}
	b.desk.Send(pane.AskText{Title: "Instances", Text: all[0].text, Help: "a part of their names: there are too many to list all", Each: find, Done: find})
}
