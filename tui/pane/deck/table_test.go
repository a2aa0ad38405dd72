package deck

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

const processorTime = `\Process(*)\% Processor Time`

// sleepers are processes of which one is busy after a while and the others always a bit.
func sleepers(n int, wakes time.Duration) fake.Script {
	s := computer("one", n, 0)
	for i := range n {
		level := func(time.Duration, uint64) float64 { return 1 }
		if i == n-1 {
			level = func(at time.Duration, _ uint64) float64 {
				if at < wakes {
					return 0
				}
				return 90
			}
		}
		s.Sets[0].Rows[i].Is = map[string]fake.Motion{"% Processor Time": level}
	}
	s.Sets[0].Rows[n-1].Name = "sleeper"
	return s
}

// A process that slept and becomes busy shows that it slept: its history is no shorter than
// that of one that was busy all the time.
func TestHistoryOfWhoSlept(t *testing.T) {
	onDeck(t, 100, 20, []fake.Script{sleepers(60, 40*time.Second)}, func(r *rig) {
		r.book.Own(r.Desk.Hosts[0]).Load([]session.DeckPane{{Paths: []string{processorTime}}})
		r.pass(50)
		spark := func(name string) (cells int, low bool) {
			row := r.Row(name)
			for _, c := range row {
				if strings.ContainsRune("▁▂▃▄▅▆▇", c) {
					cells++
				}
			}
			return cells, strings.Contains(row, "▁▁▁▁▁▁")
		}
		cells, slept := spark("sleeper")
		if all, _ := spark("worker-3 "); cells < 8 || cells != all || !slept {
			t.Errorf("%d cells, %d of others:\n%s", cells, all, r.Text())
		}
	})
}

// What stands behind the count of rows that are not shown stays where it is when the count
// gets another number of digits.
func TestCountOfOthersKeepsItsPlace(t *testing.T) {
	s := computer("one", 36, 0)
	for i := range 8 { // 16 others become 8
		s.Sets[0].Rows[i].Alive = fake.Window{To: time.Duration(6+i) * time.Second}
	}
	onDeck(t, 120, 22, []fake.Script{s}, func(r *rig) {
		r.book.Own(r.Desk.Hosts[0]).Load([]session.DeckPane{{Paths: []string{processorTime}}, {Paths: []string{available}}})
		seen := map[int]bool{}
		counts := map[int]bool{}
		for range 20 {
			r.pass(1)
			if x, y, ok := r.Find("t top"); ok {
				seen[x] = true
				counts[len(strings.Fields(strings.Split(r.Canvas.Rows()[y], "+ ")[1])[0])] = true
			}
		}
		if len(seen) != 1 || len(counts) != 2 {
			t.Errorf("at %v with counts of %v digits:\n%s", seen, counts, r.Text())
		}
	})
}
