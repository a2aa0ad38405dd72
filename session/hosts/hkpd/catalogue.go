package hkpd

import (
	"context"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

const maxWarnings = 32

// byPosition marks numbers of counters that are their positions in the object:
// those whose title index another counter of the object has too. Bases mostly
// share that of the counter before them.
const byPosition = 1 << 31

// catalogueReader reads what a host offers.
type catalogueReader struct {
	o        *Options
	link     *link
	names    names
	sets     []*session.Counterset
	warnings []error
}

func (r *catalogueReader) warnf(format string, args ...any) {
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, fmt.Errorf(format, args...))
	}
}

// read reads the names, and the descriptions of all objects: hosts have no call
// for these alone, so their values come with them.
func (r *catalogueReader) read(ctx context.Context) (*session.Catalogue, error) {
	if err := r.link.open(ctx); err != nil {
		return nil, err
	}
	if err := r.readNames(ctx); err != nil {
		return nil, err
	}
	queries := []string{"Global"}
	if r.o.Costly {
		queries = append(queries, "Costly")
	}
	for _, value := range queries {
		data, code, err := r.link.read(ctx, r.link.key, value, startData, cutData)
		switch {
		case err != nil:
			return nil, err
		case code == rpc.CodeOK:
			r.describe(value, data)
		case value == "Global":
			return nil, r.link.refused("read objects", code)
		default:
			r.warnf("read the costly objects: %s", code.Text())
		}
	}
	cat := &session.Catalogue{Host: r.o.Host, Sets: r.sets, Names: map[uint32]string{}}
	cat.Sort()
	for i, set := range r.sets {
		r.sets[i] = r.o.Shared.One(set)
		cat.Names[set.V1Index] = set.Name
		for k := range set.Counters {
			if c := &set.Counters[k]; c.ID < byPosition {
				cat.Names[c.ID] = c.Name
			}
		}
	}
	return cat, nil
}

// describe adds the objects of an answer.
func (r *catalogueReader) describe(value string, data []byte) {
	reader := perflib.ReadV1(data)
	for reader.Next() {
		o := reader.Object()
		known := slices.ContainsFunc(r.sets, func(s *session.Counterset) bool { return s.V1Index == o.NameIndex })
		if o.Counters() > 0 && !known {
			r.sets = append(r.sets, r.counterset(o))
		}
	}
	if err := reader.Err(); err != nil {
		r.warnf("read the objects of %q: %w", value, err)
	}
}

func (r *catalogueReader) counterset(o *perflib.V1Object) *session.Counterset {
	set := &session.Counterset{
		V1Index:     o.NameIndex,
		Name:        r.names.of(o.NameIndex, "object"),
		Label:       r.names.label(o.NameIndex),
		Description: r.names.helps[o.HelpIndex],
		Protocol:    Protocol,
		Instances:   session.SingleInstance,
	}
	if o.Multiple() {
		set.Instances = session.MultipleInstances
	}
	list := o.AppendCounters(nil)
	set.Counters = make([]session.Counter, len(list))
	taken := make(map[uint32]bool, len(list))
	for i := range list {
		id := list[i].NameIndex
		if taken[id] || id >= byPosition {
			id = byPosition | uint32(i)
		}
		taken[id] = true
		set.Counters[i] = r.counter(set.Name, &list[i], id)
	}
	for i := range list {
		if at := perflib.V1Base(list, i); at >= 0 {
			base := &set.Counters[i].BaseID
			if info, _ := list[i].Type.Info(); info.Base == cooker.BaseMulti {
				base = &set.Counters[i].MultiID
			}
			*base = set.Counters[at].ID
		}
	}
	return set
}

func (r *catalogueReader) counter(object string, c *perflib.V1Counter, id uint32) session.Counter {
	name := r.names.of(c.NameIndex, "counter")
	return session.Counter{
		ID:           id,
		Name:         name,
		Label:        r.names.label(c.NameIndex),
		Description:  r.names.helps[c.HelpIndex],
		Type:         c.Type,
		Quantity:     cooker.QuantityIn(c.Type, object, name),
		DefaultScale: cooker.ClampScale(int(c.DefaultScale)),
		Detail:       c.Detail,
		Companions:   session.NoCompanions,
	}
}
