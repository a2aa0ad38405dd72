package collecting

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
)

// runOf is the run of a set that collects paths, over hosts of the demo, of which one computer may
// be asked.
func runOf(t *testing.T, paths ...string) (r *run, told func() string) {
	t.Helper()
	guarded := guard.New(func(e *guard.PanicError) { t.Error(e) })
	known := inventory.New(inventory.Options{Config: new(config.Config), Demo: true, Clock: func() session.Clock { return session.NewSystemClock() }, Go: guarded.Go, Named: func() int { return 0 }})
	t.Cleanup(known.Close)
	set := collectorset.New("night")
	set.Collectors = []collectorset.Collector{{Kind: collectorset.Counters, LogFileFormat: collectorset.Binary, Counters: paths}}
	var said []string
	r = &run{set: set, program: t.Context(), Options: Options{
		Sets: sets.New(sets.Options{Place: collectorset.Place{Watched: func(computer string) bool { return computer == "web02" }}}),
		Set:  &sets.Set{},
		Open: func(q []inventory.Query) ([]inventory.Host, error) {
			return known.For(q, []string{"web02"}, inventory.Mode{})
		},
		Report: func(err error) { said = append(said, err.Error()) }, Note: func(text string) { said = append(said, text) },
	}}
	return r, func() string { return strings.Join(said, "\n") }
}

// Computers that may not be asked are left out and told, each path is asked once, and a set that
// has nothing else does not begin.
func TestOnlyComputersThatMayBeAsked(t *testing.T) {
	const path = `\\web02\Memory\Available MBytes`
	r, told := runOf(t, path, `\\elsewhere\Memory\Available MBytes`, path)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := r.open(ctx); err != nil {
		t.Fatal(err)
	}
	defer r.stop()
	if len(r.queries) != 1 || len(r.hosts) != 1 || !strings.Contains(told(), "elsewhere is no host of the config") {
		t.Errorf("asks %+v of %d hosts, told %q", r.queries, len(r.hosts), told())
	}
	hosts, err := r.hostsOf([]session.Question{{Text: path}})
	if err != nil || len(hosts) != 1 || hosts[0].Name != "web02" || !slices.Equal(hosts[0].Paths, []string{path}) {
		t.Errorf("%+v, %v", hosts, err)
	}
	if _, err := r.hostsOf([]session.Question{{Text: `\\elsewhere\Memory\Available MBytes`}}); !errors.Is(err, recorders.ErrNoHost) {
		t.Errorf("of a path that was left out: %v", err)
	}
	r, _ = runOf(t, `\\elsewhere\Memory\Available MBytes`)
	if err := r.open(ctx); err == nil || !strings.Contains(failure.Hint(err), "collect check") {
		t.Errorf("nothing may be asked: %v", err)
	}
}

// It is said what becomes of binary files.
func TestNoteOfBinaryFiles(t *testing.T) {
	for _, blg := range []bool{false, true} {
		r, told := runOf(t)
		r.Started.BLG = blg
		r.noteFormat()
		if strings.Contains(told(), "never tried") != blg {
			t.Errorf("as .blg %v: told %q", blg, told())
		}
		r.set.Collectors[0].LogFileFormat = collectorset.CommaSeparated
		before := told()
		if r.noteFormat(); told() != before {
			t.Errorf("of text: %q", told())
		}
	}
}
