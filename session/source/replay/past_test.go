package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
)

// Who looks at a moment of a window has the rows of then, as of a live host: those that ended
// since, however long ago, with their history, and of one that came back what it was before; not
// those that had ended by then or came later.
func TestRowsOfThePast(t *testing.T) {
	var lines []string
	for i := range 40 {
		cells := []string{"1", "-", "-", "-"} // always, once, twice, from the start
		if 5 <= i && i < 10 {
			cells[1] = "2"
		}
		if 3 <= i && i < 8 || i >= 30 {
			cells[2] = "3"
		}
		if i < 4 {
			cells[3] = "4"
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	h, rows := sheet(4*time.Second, []string{`\\a\P(always)\c`, `\\a\P(once)\c`, `\\a\P(twice)\c`, `\\a\P(first)\c`}, lines...)
	playing(t, Options{}, []string{write(t, "past.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		a := session.Ask{Set: host.Catalogue().Sets[0], Counters: []int{0}}
		a.Keep = []session.Keep{{Counters: a.Counters, Recent: true}}
		host.Ask([]session.Ask{a})
		for _, now := range []int{9, 20, 39} {
			s := r.at(host, rows[now].Time)
			for at := range now {
				v := s.Then(rows[at].Time.Add(time.Second)).Sets[0]
				var got []string
				for i := range v.Rows {
					row := &v.Rows[i]
					moment := rows[at].Time.Add(time.Second)
					began := !row.Gone && !moment.Before(row.Since) || row.Gone && (row.Lived == 0 || !moment.Before(row.Since.Add(-row.Lived)))
					if !began || row.Gone && !moment.Before(row.Since) {
						continue
					}
					value := v.Series(i, 0).At(s.Timeline.First + uint64(at))
					got = append(got, fmt.Sprint(row.Key.Name, "=", value))
				}
				var want []string
				for i, name := range []string{"always", "once", "twice", "first"} {
					if f, ok := rows[at].Values[i].Float(); ok {
						want = append(want, fmt.Sprint(name, "=", f))
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("sample %d, looked at from %d: %q, want %q", at, now, got, want)
				}
			}
		}
	})
}

// A name that another process has by now shows the one of then.
func TestNumbersOfThePast(t *testing.T) {
	h, rows := sheet(4*time.Second, []string{`\\a\Process(x)\ID Process`, `\\a\Process(x)\% Processor Time`}, "5 1", "5 1", "7 2", "7 2", "7 2", "9 3")
	playing(t, Options{}, []string{write(t, "numbers.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		set := host.Catalogue().Sets[0]
		a := session.Ask{Set: set, Counters: []int{0, 1}}
		a.Keep = []session.Keep{{Counters: a.Counters, Recent: true}}
		host.Ask([]session.Ask{a})
		s := r.at(host, rows[5].Time)
		for i, want := range []uint64{5, 5, 7, 7, 7, 9} {
			v := s.Then(rows[i].Time).Sets[0]
			if len(v.Rows) != 1 || v.Rows[0].Number != want {
				t.Errorf("sample %d: %+v, want number %d", i, v.Rows, want)
			}
		}
		if v := s.Sets[0]; v.Rows[0].Number != 9 || v.Rows[0].Gone || !v.Rows[0].Since.Equal(rows[5].Time) {
			t.Errorf("now: %+v", v.Rows)
		}
	})
}
