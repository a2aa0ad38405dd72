package decks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/sharedtest"
)

// csvOf is a recording of two samples of these columns.
func csvOf(t testing.TB, columns []string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for _, c := range columns {
		fmt.Fprintf(&b, `,"%s"`, c)
	}
	for _, second := range []string{"00", "01"} {
		fmt.Fprintf(&b, "\r\n\"03/02/2026 09:00:%s.000\"%s", second, strings.Repeat(`,"1"`, len(columns)))
	}
	file := filepath.Join(t.TempDir(), "some.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// open opens a recording, until the test ends.
func open(t testing.TB, file string) *replay.Player {
	t.Helper()
	player, err := replay.Open([]string{file}, replay.Options{Guard: guard.New(func(e *guard.PanicError) { t.Error(e) })})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = player.Close() })
	return player
}

// deckOf is the deck of a recording.
func deckOf(t testing.TB, file string) (deck session.Deck, needed bool, left int) {
	t.Helper()
	player := open(t, file)
	d := Of(player)
	return d.First, len(d.First.Panes) > 0, d.Left
}

// hasRow tells whether a deck has a row for a column: its own path, or that of all
// instances, of which the busiest are shown and no totals.
func hasRow(deck session.Deck, column string) bool {
	p, err := paths.Parse(column)
	if err != nil {
		return false
	}
	host := p.Computer
	p.Computer = ""
	every := p
	every.Parent, every.Instance, every.Index = "", "*", ""
	isTotal := strings.HasSuffix(strings.ToLower(p.Instance), "_total")
	return slices.ContainsFunc(deck.Panes, func(pane session.DeckPane) bool {
		return paths.EqualFold(pane.Host, host) && slices.ContainsFunc(pane.Paths, func(text string) bool {
			return paths.EqualFold(text, p.String()) || pane.Busiest > 0 && !isTotal && paths.EqualFold(text, every.String())
		})
	})
}

func numbered(form string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(form, i))
	}
	return out
}

// The first deck of a recording has a row for each counter that was recorded.
func TestFirstDeckHasAllThatWasRecorded(t *testing.T) {
	usual := []string{`\\a\Processor Information(_Total)\% Processor Time`, `\\a\Memory\Available MBytes`, `\\a\System\Processes`}
	files := map[string]string{
		"few":          csvOf(t, []string{`\\a\Memory\Available MBytes`, `\\a\Memory\Pages/sec`, `\\a\X(y)\Z`}),
		"beside usual": csvOf(t, append(slices.Clone(usual), `\\a\X(y)\Z`, `\\a\Processor Information(0,0)\% Processor Time`)),
		"total too":    csvOf(t, append(numbered(`\\a\CPU(%d)\Busy`, 64), `\\a\CPU(_Total)\Busy`, `\\a\CPU(0)\Idle`)),
		"idle":         csvOf(t, []string{`\\a\Process(Idle)\Threads`, `\\a\Process(b)\Threads`, `\\a\Process(c)\Threads`, `\\a\Process(d)\Threads`}),
		"two hosts":    csvOf(t, append(numbered(`\\b\P(%d)\C`, 9), `\\a\M\C`, `\\b\M\C`, `\\a\P(x)\C`, `\\a\P(x)\D`)),
		"rows of one":  csvOf(t, numbered(`\\a\Memory\C%d`, 40)),
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) { deckHasAll(t, file) })
	}
	for _, name := range []string{"PowerShell_PowerShell__CounterSamples.csv", "PowerShell_PowerShell__CounterSamples.tsv"} {
		t.Run(name, func(t *testing.T) { deckHasAll(t, sharedtest.Path(t, "data/pdhtext/"+name)) })
	}
}

func deckHasAll(t *testing.T, file string) {
	t.Helper()
	deck, needed, left := deckOf(t, file)
	if !needed || left != 0 {
		t.Errorf("needed %v, %d left", needed, left)
	}
	r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range r.Header().Columns {
		if !hasRow(deck, c.Path) {
			t.Errorf("no row for %s in %+v", c.Path, deck.Panes)
		}
	}
}

// A counterset of many instances has one pane of the busiest, by what tells most of
// them; its other counters have a row for the total. Numbers that are names are not
// ranked, and what has no row is counted.
func TestSetsOfManyInstancesHaveOneRankedPane(t *testing.T) {
	every := func(set string, names, counters []string) (out []string) {
		for _, name := range names {
			for _, counter := range counters {
				out = append(out, `\\a\`+set+`(`+name+`)\`+counter)
			}
		}
		return out
	}
	process := []string{"ID Process", "Creating Process ID", "Priority Base", "Handle Count", "% User Time", "% Processor Time", "Elapsed Time"}
	many, cores := numbered("p%d", 30), numbered("0,%d", 4)
	cores = append(cores, "0,_Total", "_Total")
	for name, test := range map[string]struct {
		columns []string
		ranked  string // the counter of the ranked pane; empty: there is none
		has     []string
		left    int
	}{
		"process, by cpu": {every("Process", many, process), "% Processor Time", nil, 6},
		"with the total": {every("Process", append(slices.Clone(many), "_Total"), process), "% Processor Time",
			[]string{`\\a\Process(_Total)\Handle Count`, `\\a\Process(_Total)\% User Time`}, 4},
		"the first rate":  {every("X", many, []string{"Size", "Reads/sec", "% Busy"}), "Reads/sec", nil, 2},
		"the first count": {every("X", many, []string{"ID Thread", "Priority Current", "Size", "Length"}), "Size", nil, 3},
		"names only":      {every("X", many, []string{"ID Process", "Thread State"}), "", nil, 2},
		"cores, many counters": {every("Processor Information", cores, append(numbered("C%d/sec", 20), "% Processor Time")), "% Processor Time",
			[]string{`\\a\Processor Information(_Total)\C7/sec`}, 0},
	} {
		deck, needed, left := deckOf(t, csvOf(t, append(test.columns, `\\a\Odd\One`)))
		var ranked []string
		for _, p := range deck.Panes {
			if p.Busiest > 0 {
				ranked = append(ranked, p.Paths...)
			}
		}
		if !needed || left != test.left || len(deck.Panes) > 3 {
			t.Errorf("%s: needed %v, %d left, %d panes", name, needed, left, len(deck.Panes))
		}
		if want := test.ranked; len(ranked) > 1 || (len(ranked) == 1) != (want != "") || want != "" && !strings.HasSuffix(ranked[0], `(*)\`+want) {
			t.Errorf("%s: ranked by %v, want %q", name, ranked, want)
		}
		for _, column := range test.has {
			if !hasRow(deck, column) {
				t.Errorf("%s: no row for %s", name, column)
			}
		}
	}
}

// Texts are no ranks: their instances have rows.
func TestTextsAreNotRanked(t *testing.T) {
	set := &session.Counterset{Name: "Service", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "State", Type: cooker.CounterText}}}
	var recorded [][]session.Instance
	recorded = append(recorded, nil)
	for i := range 12 {
		recorded[0] = append(recorded[0], session.Instance{Key: session.InstanceKey{Name: fmt.Sprintf("svc%d", i)}})
	}
	if isCrowded(set, recorded) || leaderOf(set, recorded) >= 0 {
		t.Errorf("crowded %v, leader %d", isCrowded(set, recorded), leaderOf(set, recorded))
	}
	set.Counters = append(set.Counters, session.Counter{Name: "Requests/sec", Type: cooker.CounterBulkCount})
	if recorded = append(recorded, recorded[0]); leaderOf(set, recorded) != 1 {
		t.Errorf("the leader is %d", leaderOf(set, recorded))
	}
}

// What the usual deck shows needs no other one.
func TestUsualDeckOfARecording(t *testing.T) {
	columns := []string{`\\a\Processor Information(_Total)\% Processor Time`, `\\a\Memory\Available MBytes`}
	columns = append(columns, numbered(`\\a\Process(p%d)\%% Processor Time`, 30)...)
	if deck, needed, _ := deckOf(t, csvOf(t, columns)); needed {
		t.Errorf("a deck of its own: %+v", deck)
	}
}

// Where there is too much for a deck it begins with what tells most, and the rest
// is counted.
func TestDeckOfAVeryWideRecording(t *testing.T) {
	columns := numbered(`\\a\Other%d\C`, 90)
	columns = append(columns, `\\a\Processor Information(_Total)\% Processor Time`, `\\a\Memory\Available MBytes`, `\\a\System\Processes`)
	deck, needed, left := deckOf(t, csvOf(t, columns))
	if !needed || len(deck.Panes) != mostDeckPanes || left != 3+93-mostDeckPanes || !hasRow(deck, columns[90]) || !hasRow(deck, columns[0]) {
		t.Errorf("%v, %d panes, %d left: %+v", needed, len(deck.Panes), left, deck.Panes[:4])
	}
}

// What was recorded in two units has one row, and in a larger unit alone has one too.
func TestUnitsOfOneThing(t *testing.T) {
	deck, _, left := deckOf(t, csvOf(t, []string{
		`\\a\Memory\Available Bytes`, `\\a\Memory\Available KBytes`, `\\a\Memory\Available MBytes`, `\\b\Memory\Available MBytes`, `\\a\X(y)\Z`,
	}))
	var rows []string
	for _, p := range deck.Panes {
		for _, text := range p.Paths {
			rows = append(rows, p.Host+text)
		}
	}
	slices.Sort(rows)
	if want := []string{`a\Memory\Available Bytes`, `a\X(y)\Z`, `b\Memory\Available MBytes`}; left != 0 || !slices.Equal(rows, want) {
		t.Errorf("%q, %d left", rows, left)
	}
}

// wholeHost are columns of a Windows host by the older names: all that the usual deck shows,
// and more.
func wholeHost() (out []string) {
	for _, c := range []string{"% Processor Time", "% User Time", "% DPC Time", "Interrupts/sec"} {
		out = append(out, `\\a\Processor(_Total)\`+c, `\\a\Processor(0)\`+c, `\\a\Processor(1)\`+c)
	}
	for _, c := range []string{"Available Bytes", "Committed Bytes", "Commit Limit", "Pages/sec", "Pool Paged Bytes"} {
		out = append(out, `\\a\Memory\`+c)
	}
	for _, c := range []string{"Disk Read Bytes/sec", "Disk Write Bytes/sec", "Split IO/Sec"} {
		out = append(out, `\\a\PhysicalDisk(_Total)\`+c, `\\a\PhysicalDisk(0 C:)\`+c)
	}
	for _, c := range []string{"Bytes Received/sec", "Bytes Sent/sec"} {
		out = append(out, `\\a\Network Interface(x)\`+c)
	}
	for _, c := range []string{"% Processor Time", "ID Process", "Working Set"} {
		out = append(out, numbered(`\\a\Process(p%d)\`+strings.ReplaceAll(c, "%", "%%"), 30)...)
	}
	return append(out, numbered(`\\a\Server\C%d`, 45)...)
}

// A recording of a whole host has the usual deck, by whatever names and without what it
// lacks, and each further
// counterset once; all that was recorded is a deck beside it.
func TestDeckOfAWholeHost(t *testing.T) {
	lacking := func(object string) []string { // as the past of an engine that has none
		more := numbered(`\\a\Server\C%d`, 45)
		return append(slices.DeleteFunc(wholeHost(), func(c string) bool {
			return strings.HasPrefix(c, `\\a\`+object+"(") || slices.Contains(more, c)
		}), more...)
	}
	for name, columns := range map[string][]string{
		"whole": wholeHost(), "without processes": lacking("Process"), "without disks": lacking("PhysicalDisk"), "without networks": lacking("Network Interface"),
	} {
		t.Run(name, func(t *testing.T) { opensWithTheUsual(t, columns) })
	}
}

func opensWithTheUsual(t *testing.T, columns []string) {
	t.Helper()
	player := open(t, csvOf(t, columns))
	h := player.Hosts()[0]
	usual := session.DefaultDeck(h.Name(), h.Catalogue()).Panes
	d := Of(player)
	n := len(usual)
	if len(d.First.Panes) != n+1 || !slices.EqualFunc(d.First.Panes[:n], usual, func(a, b session.DeckPane) bool { return slices.Equal(a.Paths, b.Paths) }) {
		t.Fatalf("%+v, want %+v and one more", d.First.Panes, usual)
	}
	if more := d.First.Panes[n]; len(more.Paths) != 45 || !more.Spare {
		t.Errorf("%+v", more)
	}
	if !hasRow(d.All, `\\a\Memory\Pool Paged Bytes`) || !hasRow(d.All, `\\a\Server\C29`) {
		t.Errorf("%+v", d.All.Panes)
	}
}

// A recording of totals alone has no pane for each instance.
func TestDeckOfTotals(t *testing.T) {
	totals := slices.DeleteFunc(wholeHost(), func(c string) bool {
		return strings.HasPrefix(c, `\\a\Processor(0)`) || strings.HasPrefix(c, `\\a\Processor(1)`)
	})
	d := Of(open(t, csvOf(t, totals)))
	if len(d.First.Panes) == 0 || slices.ContainsFunc(d.First.Panes, func(p session.DeckPane) bool {
		return strings.HasPrefix(p.Paths[0], `\Processor`) && strings.Contains(p.Paths[0], "(*)")
	}) {
		t.Errorf("%+v", d.First.Panes)
	}
}

// A recording of several hosts that has what the screens compare of hosts opens with them
// beside each other, and has a deck of all that was recorded besides; one of what somebody
// chose of them opens with that.
func TestDeckOfWholeHosts(t *testing.T) {
	of := func(hosts []string, counters ...string) Decks {
		var columns []string
		for _, h := range hosts {
			for _, c := range counters {
				columns = append(columns, `\\`+h+c)
			}
		}
		player := open(t, csvOf(t, columns))
		return Of(player)
	}
	whole := []string{
		`\Processor Information(_Total)\% Processor Time`, `\Memory\Available Bytes`, `\PhysicalDisk(_Total)\Disk Read Bytes/sec`,
		`\PhysicalDisk(_Total)\Disk Write Bytes/sec`, `\X(y)\Z`,
	}
	d := of([]string{"a", "b", "c"}, whole...)
	if len(d.First.Panes) != 0 || !hasRow(d.All, `\\b\X(y)\Z`) {
		t.Errorf("of three hosts: %d panes at first, of all %+v", len(d.First.Panes), d.All.Panes)
	}
	if d := of([]string{"a"}, whole...); len(d.First.Panes) == 0 {
		t.Error("one host has none of its own")
	}
	if d := of([]string{"a", "b"}, `\X(y)\Z`, `\Memory\Available Bytes`); len(d.First.Panes) == 0 || len(d.All.Panes) != 0 {
		t.Errorf("of what was chosen: %+v", d)
	}
}

// Decks are called as what is played.
func TestNamed(t *testing.T) {
	one := func(name string) session.Deck { return session.Deck{Name: name, Panes: []session.DeckPane{{}}} }
	for _, c := range []struct {
		decks Decks
		files []string
		want  []string
		first string
	}{
		{Decks{}, []string{"a"}, nil, ""},
		{Decks{First: one("x")}, nil, []string{"x"}, "x"},
		{Decks{First: one("x"), All: one("y")}, []string{"a.csv", "b.csv"}, []string{"a.csv", "all of a.csv"}, "a.csv"},
		{Decks{All: one("y")}, nil, []string{"all of y"}, ""},
	} {
		all, first := c.decks.Named(c.files...)
		var names []string
		for _, d := range all {
			names = append(names, d.Name)
		}
		if first != c.first || !slices.Equal(names, c.want) {
			t.Errorf("%+v: %q, %q", c, names, first)
		}
	}
}
