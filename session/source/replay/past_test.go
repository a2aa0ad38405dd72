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
