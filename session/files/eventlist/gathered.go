package eventlist

import "perfdeck/session"

// Gathered are the events of a file as they are read, and how many were left out as no events.
type Gathered struct {
	List []session.HostEvent
	Kept bool // that there are none is known
	Left int
}

// Take takes one in.
func (g *Gathered) Take(e session.HostEvent) {
	if !e.Settle() {
		g.Left++
		return
	}
	g.List = append(g.List, e)
	if len(g.List) >= 2*Most {
		g.Bound()
	}
}

// Bound leaves the least severe and oldest out of too many.
func (g *Gathered) Bound() { g.List = Bound(g.List, Most) }
