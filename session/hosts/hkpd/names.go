package hkpd

import (
	"context"
	"fmt"
	"strings"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// titles are texts by their title index.
type titles map[uint32]string

// names are the texts of a host.
type names struct {
	english titles // the keys of paths
	labels  titles // in the wanted language; nil: English will do
	helps   titles
}

// of is the English name of an object or counter, or its number.
func (n *names) of(index uint32, kind string) string {
	if name := n.english[index]; name != "" {
		return name
	}
	return fmt.Sprintf("%s %d", kind, index)
}

// label is the name in the wanted language where it differs from the English.
func (n *names) label(index uint32) string {
	if label := n.labels[index]; label != n.english[index] {
		return label
	}
	return ""
}

// readNames reads the texts of the host. Those that explain, and those of another
// language, need not be there.
func (r *catalogueReader) readNames(ctx context.Context) error {
	n := &r.names
	var err error
	if n.english, err = r.table(ctx, r.link.key, "Counter 009"); err != nil {
		return err
	}
	if len(n.english) == 0 {
		if n.english, err = r.textKey(ctx, r.link.conn.OpenPerformanceText, "Counter"); err != nil {
			return err
		}
	}
	if len(n.english) == 0 {
		r.warnf("the host gave no names: its counters are known by their numbers. On the host, lodctr /R builds the names anew")
	}
	if err := r.readLocal(ctx); err != nil || len(n.helps) > 0 {
		return err
	}
	// Windows has "Explain" here and "Help" in HKEY_PERFORMANCE_TEXT; Samba knows
	// the first alone.
	n.helps, err = r.table(ctx, r.link.key, "Explain 009", "Help 009")
	return err
}

// readLocal reads the texts of the wanted language, or else of the host's.
func (r *catalogueReader) readLocal(ctx context.Context) error {
	n, lcid := &r.names, r.o.LCID
	if perflib.IsEnglish(lcid) {
		return nil
	}
	var err error
	if lcid != 0 {
		// Languages are named by their primary number in three digits, and some by
		// all of theirs in four: 0416 for Brazil, 0404 for Taiwan.
		short, long := fmt.Sprintf("%03X", lcid&perflib.PrimaryLanguage), fmt.Sprintf("%04X", lcid)
		if n.labels, err = r.table(ctx, r.link.key, "Counter "+long, "Counter "+short); err != nil {
			return err
		}
		if len(n.labels) > 0 {
			n.helps, err = r.table(ctx, r.link.key, "Explain "+long, "Explain "+short, "Help "+short)
			return err
		}
	}
	if n.labels, err = r.textKey(ctx, r.link.conn.OpenPerformanceNLSText, "Counter"); err != nil || len(n.labels) == 0 {
		return err
	}
	n.helps, err = r.textKey(ctx, r.link.conn.OpenPerformanceNLSText, "Help", "Explain")
	return err
}

// textKey reads a table of HKEY_PERFORMANCE_TEXT or HKEY_PERFORMANCE_NLSTEXT. A
// host that has no such key has no such table.
func (r *catalogueReader) textKey(ctx context.Context, open func(context.Context) (rpc.Handle, rpc.Code, error), values ...string) (titles, error) {
	key, code, err := open(ctx)
	if err != nil || code != rpc.CodeOK {
		return nil, err
	}
	t, err := r.table(ctx, key, values...)
	if err == nil {
		_, _, err = r.link.conn.CloseKey(ctx, key)
	}
	return t, err
}

// table reads the first of the values that is there; none gives nil. The error
// is that of the connection, or a refusal.
func (r *catalogueReader) table(ctx context.Context, key rpc.Handle, values ...string) (titles, error) {
	for _, value := range values {
		data, code, err := r.link.read(ctx, key, value, startNames, cutNames)
		switch {
		case err != nil:
			return nil, err
		case code.IsDenied():
			return nil, r.link.refused("read names", code)
		case code != rpc.CodeOK:
			continue
		}
		t := titles{}
		n := perflib.ReadV1Names(data)
		for n.Next() {
			// Some providers end names with blanks, which nobody would type.
			t[n.Index] = strings.TrimRight(n.Text.String(), " ")
		}
		if err := n.Err(); err != nil {
			r.warnf("the host's table of names %q: %w", value, err)
		}
		if len(t) > 0 {
			return t, nil
		}
	}
	return nil, nil
}
