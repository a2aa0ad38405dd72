package collector

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/fake"
)

// poured is what a stream got: a line for each row.
type poured struct {
	lines []string
	last  int
}

func (p *poured) write(r *logs.Beat) error {
	var b strings.Builder
	for _, s := range r.Samples {
		fmt.Fprintf(&b, "%s[", s.Host)
		for _, c := range s.Cells {
			fmt.Fprintf(&b, "%s=%s ", strings.TrimPrefix(c.Text, `\Disk`), word(c.Value))
		}
		b.WriteString("] ")
	}
	fmt.Fprintf(&b, "%d", len(r.Columns))
	for _, v := range r.Values {
		b.WriteString(" " + word(v))
	}
	p.lines = append(p.lines, b.String())
	return nil
}

func word(v cooker.Value) string {
	if v.Valid() {
		return string(cooker.AppendMachine(nil, v))
	}
	return v.Status().Word()
}

// new are the lines since the last call, each once where the same follow each other.
func (p *poured) new() string {
	out := []string{}
	for _, line := range p.lines[p.last:] {
		if len(out) == 0 || out[len(out)-1] != line {
			out = append(out, line)
		}
	}
	p.last = len(p.lines)
	return strings.Join(out, "; ")
}

// pour records onto a stream.
func (r *rig) pour(fixed bool, hosts ...Host) (*poured, *Recording) {
	p := &poured{}
	o := r.options("", hosts...)
	o.File, o.Stream = "", &Stream{Fixed: fixed, Write: p.write}
	return p, r.start(o)
}

// gauge is a host with some instances of Disk; each is a number of its own.
func gauge(name string, faults []fake.Fault, rows ...fake.Row) fake.Script {
	return fake.Script{Name: name, Faults: faults, Sets: []fake.Set{{
		Name: "Disk", Instances: session.MultipleInstances, Rows: rows,
		Counters: []fake.Counter{{Name: "n", Type: cooker.CounterLargeRawCount, Is: fake.Const(1)}},
	}}}
}

func alive(name string, from, to time.Duration, n float64) fake.Row {
	return fake.Row{Name: name, Times: n, Alive: fake.Window{From: from, To: to}}
}

// What is there has cells, in the order of what was asked for, under a name that it
// keeps; what is asked for and is not there says why.
func TestStream(t *testing.T) {
	const s = time.Second
	rows := []fake.Row{alive("p", 0, 5*s, 1), alive("p", 0, 0, 2), alive("q", 8*s, 12*s, 3)}
	for _, c := range []struct {
		fixed bool
		want  [4]string
	}{
		{false, [4]string{`a[(p)\n=1 (p#1)\n=2 (q)\n=pending ] 3 1 2 pending`, `a[(p#1)\n=2 (q)\n=pending ] 3 gone 2 pending`, `a[(p#1)\n=2 (q)\n=3 ] 3 gone 2 3`, `a[(p#1)\n=2 (q)\n=gone ] 3 gone 2 gone`}},
		{true, [4]string{`a[(p)\n=1 (p#1)\n=2 (q)\n=pending ] 3 1 2 pending`, `a[(p#1)\n=2 (q)\n=pending ] 3 gone 2 pending`, `a[(p#1)\n=2 (q)\n=3 ] 3 gone 2 3`, `a[(p#1)\n=2 (q)\n=gone ] 3 gone 2 gone`}},
	} {
		inBubble(t, start0, func(r *rig) {
			p, rec := r.pour(c.fixed, r.host(gauge("a", nil, rows...), `\Disk(p*)\n`, `\Disk(q)\n`))
			for i, d := range []time.Duration{4500 * time.Millisecond, 3 * s, 4 * s, 3 * s} {
				r.clock.Advance(d)
				if got := p.new(); !strings.HasSuffix(got, c.want[i]) {
					t.Errorf("fixed %v, step %d: %q, want %q", c.fixed, i, got, c.want[i])
				}
			}
			r.stop(rec)
			if len(rec.Silent()) > 0 || rec.LeftOut() {
				t.Errorf("silent %v", rec.Silent())
			}
		})
	}
}

// Rows go on without a host that is late, hangs or fails; one that answers for the
// first time while others go on joins.
func TestStreamHosts(t *testing.T) {
	const s = time.Second
	during := func(from, to time.Duration, f fake.Fault) []fake.Fault {
		f.Window = fake.Window{From: from, To: to}
		return []fake.Fault{f}
	}
	down := errors.New("no route")
	both := `a[(x)\n=1 ] b[(x)\n=2 ] 2 1 2`
	for _, c := range []struct {
		name   string
		faults []fake.Fault
		path   string
		want   string
	}{
		{"well", nil, `\Disk(*)\n`, both},
		{"a little late", during(2500*time.Millisecond, 20*s, fake.Fault{Latency: 300 * time.Millisecond}), `\Disk(*)\n`, both},
		{"hangs", during(4500*time.Millisecond, 5200*time.Millisecond, fake.Fault{Latency: 4 * s}), `\Disk(*)\n`, both + `; a[(x)\n=1 ] 2 1 gap; ` + both},
		{"fails", during(4500*time.Millisecond, 5200*time.Millisecond, fake.Fault{Err: down}), `\Disk(*)\n`, both + `; a[(x)\n=1 ] b[(x)\n=none ] 2 1 none; ` + both},
		{"comes later", during(0, 5*s, fake.Fault{Err: down}), `\Disk(x)\n`, `a[(x)\n=1 ] b[(x)\n=none ] 2 1 none; ` + both},
		{"denied", during(0, 60*s, fake.Fault{Set: "Disk", Err: session.ErrDenied}), `\Disk(x)\n`, `a[(x)\n=1 ] b[(x)\n=denied ] 2 1 pending`},
	} {
		inBubble(t, start0, func(r *rig) {
			p, rec := r.pour(false, r.host(gauge("a", nil, alive("x", 0, 0, 1)), c.path), r.host(gauge("b", c.faults, alive("x", 0, 0, 2)), c.path))
			r.clock.Advance(20 * s)
			r.stop(rec)
			if got := p.new(); got != c.want {
				t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
			}
		})
	}
	inBubble(t, start0, func(r *rig) { // nobody answers: rows go on
		faults := during(50*time.Millisecond, 60*s, fake.Fault{Err: down})
		a := r.host(gauge("a", faults, alive("x", 0, 0, 1)), `\Disk(x)\n`)
		r.clock.Advance(100 * time.Millisecond)
		p, rec := r.pour(false, a)
		r.clock.Advance(10 * s)
		r.stop(rec)
		if got := p.new(); len(p.lines) < 5 || got != `a[(x)\n=none ] 1 none` {
			t.Errorf("%d rows: %s", len(p.lines), got)
		}
	})
}

// Where columns are fixed, rows wait for hosts whose first answers are slow, and
// count begins with the first.
func TestStreamWaits(t *testing.T) {
	const s = time.Second
	inBubble(t, start0, func(r *rig) {
		slow := []fake.Fault{{Window: fake.Window{From: 50 * time.Millisecond, To: 3 * s}, Latency: 1700 * time.Millisecond}}
		a, b := r.host(gauge("a", nil, alive("x", 0, 0, 1)), `\Disk(*)\n`), r.host(gauge("b", slow, alive("x", 0, 0, 2)), `\Disk(*)\n`)
		r.clock.Advance(100 * time.Millisecond)
		p := &poured{}
		o := r.options("", a, b)
		o.File, o.Count, o.Stream = "", 3, &Stream{Fixed: true, Write: p.write}
		rec := r.start(o)
		r.clock.Advance(20 * s)
		if len(p.lines) != 3 || !rec.Status().Ended {
			t.Errorf("%d rows, %+v", len(p.lines), rec.Status())
		}
		for _, line := range p.lines {
			if !strings.Contains(line, "a[(x)\\n=1 ]") || !strings.Contains(line, "] 2 ") {
				t.Errorf("row %s", line)
			}
		}
	})
	inBubble(t, start0, func(r *rig) { // an error of the stream ends it
		full := errors.New("no more")
		o := r.options("", r.host(gauge("a", nil, alive("x", 0, 0, 1)), `\Disk(*)\n`))
		o.File, o.Stream = "", &Stream{Write: func(*logs.Beat) error { return full }}
		rec := r.start(o)
		r.clock.Advance(5 * s)
		if st := rec.Status(); !st.Ended || !errors.Is(st.Err, full) {
			t.Errorf("%+v", st)
		}
	})
}

// Columns of instances that come and go for days are forgotten.
func TestStreamForgets(t *testing.T) {
	var rows []fake.Row
	for i := range 12000 {
		from := time.Duration(i/4) * time.Second
		rows = append(rows, alive(fmt.Sprint("p", i), from, from+1500*time.Millisecond, 1))
	}
	inBubble(t, start0, func(r *rig) {
		most := 0
		o := r.options("", r.host(gauge("a", nil, rows...), `\Disk(*)\n`))
		o.File, o.Stream = "", &Stream{Write: func(row *logs.Beat) error {
			most = max(most, len(row.Columns))
			return nil
		}}
		rec := r.start(o)
		r.clock.Advance(2900 * time.Second)
		r.stop(rec)
		if most < crowded || most > crowded+4*lookedAt {
			t.Errorf("%d columns at most", most)
		}
	})
}
