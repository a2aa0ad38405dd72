package joined

import (
	"errors"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
)

// opened are recordings that stay open from one look to the next, those of the last looks.
type opened struct {
	open func(name string) (logs.Reader, error)
	list []openedFile // the last used is the last
	to   time.Time    // up to which rows are wanted
}

type openedFile struct {
	name, id string
	player   *replay.Player
}

var errNoHost = errors.New("it has no such host")

// host opens what a piece is a part of, and tells from when to when it reaches.
func (o *opened) host(p *Piece) (first, last time.Time, err error) {
	at := slices.IndexFunc(o.list, func(f openedFile) bool { return f.name == p.Name && f.id == p.ID })
	if at >= 0 && p.Open {
		if _, last := o.list[at].player.Bounds(); last.Before(o.to) { // it grew
			o.drop(at)
			at = -1
		}
	}
	one := openedFile{name: p.Name, id: p.ID}
	if at >= 0 {
		one = o.list[at]
		o.list = slices.Delete(o.list, at, at+1)
	} else if one.player, err = replay.Open([]string{p.Name}, replay.Options{Open: o.open}); err != nil {
		return first, last, err
	} else if len(o.list) == mostOpened {
		o.drop(0)
	}
	o.list = append(o.list, one)
	i := slices.IndexFunc(one.player.Hosts(), func(h *replay.Host) bool { return paths.EqualFold(h.Name(), p.Host) })
	if i < 0 {
		return first, last, errNoHost
	}
	p.of = one.player.Hosts()[i]
	first, last = one.player.Bounds()
	return first, last, nil
}

func (o *opened) drop(at int) {
	_ = o.list[at].player.Close()
	o.list = slices.Delete(o.list, at, at+1)
}

// Close closes them.
func (o *opened) Close() {
	for len(o.list) > 0 {
		o.drop(0)
	}
}
