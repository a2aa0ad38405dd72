package replay

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session"
)

// Threads of a kernel are marked as on the host that was recorded: by who owns them where that
// was recorded, else by their names, and only where their owner is there.
func TestThreadsOfTheKernel(t *testing.T) {
	const cpu, number, owner = `% Processor Time`, `ID Process`, `Creating Process ID`
	for name, c := range map[string]struct {
		set      string
		counters []string
		names    string
		row      string
		want     string
	}{
		"by name":         {"Process", []string{cpu}, "kthreadd kworker_0:1 ksoftirqd_1 bash worker", "0 1 2 3 4", "kthreadd kworker_0:1 ksoftirqd_1"},
		"of Windows":      {"Process", []string{cpu}, "kworker_0:1 bash", "1 2", ""},
		"no processes":    {"Thread", []string{cpu}, "kthreadd kworker_0:1", "1 2", ""},
		"by their owners": {"Process V2", []string{cpu, number, owner}, "kthreadd worker kworker_0:1", "0 2 0 1 77 2 1 78 1", "kthreadd worker"},
	} {
		var columns []string
		for _, in := range strings.Fields(c.names) {
			for _, counter := range c.counters {
				columns = append(columns, `\\a\`+c.set+`(`+in+`)\`+counter)
			}
		}
		h, rows := sheet(time.Second, columns, c.row, c.row)
		playing(t, Options{}, []string{write(t, "k.csv", h, rows)}, func(r *rig) {
			host := r.Hosts()[0]
			r.Seek(rows[1].Time)
			set := host.Catalogue().Sets[0]
			host.Ask([]session.Ask{{Set: set, Counters: []int{0}}})
			var got []string
			for _, row := range r.take(host).Sets[0].Rows {
				if row.Flags&session.FlagBackground != 0 {
					got = append(got, row.Key.Name)
				}
				if row.CountsAgain() {
					t.Errorf("%s: %s counts what others do", name, row.Key.Name)
				}
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("%s: %q are of the kernel, want %q", name, text, c.want)
			}
		})
	}
}
