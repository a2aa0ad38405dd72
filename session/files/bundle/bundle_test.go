package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/screenlog"
)

var start = time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)

// night is a recording of ten minutes, a sample each 10 s, with types, attributes, raw
// samples and a text.
func night(t testing.TB, name, host string) logs.Reader {
	t.Helper()
	columns := []logs.Column{
		{Path: `\\` + host + `\Memory\Available MBytes`, TypeKnown: true, Type: cooker.CounterRawCount, DefaultScale: -2},
		{Path: `\\` + host + `\Process(sqlservr)\ID Process`, TypeKnown: true, Type: cooker.CounterRawCount, Attributes: cooker.DisplayHex},
		{Path: `\\` + host + `\Process(Contoso Billing#2)\% Processor Time`, TypeKnown: true, Type: cooker.CounterBulkCount},
		{Path: `\\` + host + `\Acme Orders(north)\State of ` + host, TypeKnown: true, Type: cooker.CounterText},
	}
	file := filepath.Join(t.TempDir(), name+".db")
	format, _ := formats.Named("sqlite")
	w, err := formats.Create(file, format, &logs.Header{Zone: logs.Zone{Name: "Contoso Time", Bias: -60, Known: true}, Caption: "of " + host, Columns: columns}, logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		row := logs.Row{Time: start.Add(time.Duration(i) * 10 * time.Second), Values: []cooker.Value{
			cooker.WholeValue(uint64(1000 - i)), cooker.WholeValue(4711), cooker.FloatValue(float64(i) / 3), cooker.TextValue("ready on " + host),
		}, Raw: make([]logs.Raw, len(columns))}
		if i == 7 {
			row.Values[2] = cooker.Absent(cooker.Gone)
		}
		row.Raw[2] = logs.Raw{Known: true, Reading: cooker.Reading{Raw: uint64(i * i), Size: 8}}
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return reader(t, file)
}

func reader(t testing.TB, file string) logs.Reader {
	t.Helper()
	r, err := formats.Open(context.Background(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func rule(t testing.TB, text string) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// beside is one of each.
func beside(t testing.TB, host string) Extras {
	t.Helper()
	r := rule(t, `\Memory\Available MBytes<960`)
	r.Name, r.Why, r.Hosts, r.Severity = "low memory", "ask before 9:00", []string{host[:2] + "*"}, alert.Critical
	r.Actions, r.Text = []alert.Action{{Do: alert.Webhook, Name: "ops"}}, "page 12"
	one, err := note.New(start.Add(3*time.Minute), "deploy 4.2", "anna")
	if err != nil {
		t.Fatal(err)
	}
	return Extras{
		Decks: []session.Deck{{Name: "web", Layout: "|50.00(0,1)", Panes: []session.DeckPane{
			{Host: host, Paths: []string{`\Memory\Available MBytes`}, Kind: "graph", Limit: "1000"}, {Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 3},
		}}},
		Rules: []alert.Rule{r},
		Events: []alert.Event{
			{Seq: 1, Time: start.Add(time.Minute), Kind: alert.Fired, ID: alert.ID{Rule: r.Name, Host: host, Set: "Memory", Counter: "Available MBytes"}, Severity: alert.Critical,
				Path: `\\` + host + `\Memory\Available MBytes`, Op: paths.Below, Limit: 960, Value: new(900.0), Shown: "900 MB", ShownLimit: "960 MB"},
			{Seq: 2, Time: start.Add(2 * time.Minute), Kind: alert.Acked, ID: alert.ID{Rule: r.Name, Host: host}, By: "anna"},
			{Seq: 3, Time: start.Add(time.Hour), Kind: alert.Cleared, ID: alert.ID{Rule: r.Name, Host: host}},
		},
		Log:   []screenlog.Entry{{Time: start.Add(30 * time.Second), Level: "warning", Host: host, Text: "no answer, attempt 3"}, {Time: start.Add(-time.Hour), Level: "info", Host: host, Text: "answers"}},
		Notes: []note.Note{one},
	}
}

// pack writes a bundle into a file.
func pack(t testing.TB, recordings []Recording, b Extras, o Options) (file string, m *Manifest) {
	t.Helper()
	var out bytes.Buffer
	o.Folder, o.Perfdeck = t.TempDir(), "1.2.3"
	m, err := Write(t.Context(), &out, recordings, b, o)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "incident"+Extension)
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, m
}

func unpack(t testing.TB, file string) *Bundle {
	t.Helper()
	b, err := Open(t.Context(), file, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rows are all rows of a recording, with its columns in an order of their own.
func rows(t testing.TB, r logs.Reader) (out []logs.Row) {
	t.Helper()
	span, err := r.Span()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SeekTime(span.First); err != nil {
		t.Fatal(err)
	}
	for {
		var row logs.Row
		err := r.Next(&row)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
}

// What goes in comes out: the slice with types, attributes, raw samples and texts, and
// what stands beside it, but for actions and what is of other times.
func TestRoundTrip(t *testing.T) {
	b := beside(t, "web01")
	in := night(t, "night", "web01")
	file, m := pack(t, []Recording{{Title: "night", Reader: in}}, b, Options{Begin: start.Add(30 * time.Second), End: start.Add(5 * time.Minute)})
	if !Is(file) {
		t.Error("it is no bundle")
	}
	got := unpack(t, file)
	if !reflect.DeepEqual(got.Parts, m.Parts) || !slices.Equal(got.Left, m.Left) || got.Version != 1 || got.Zone != "Contoso Time" || got.Perfdeck != "1.2.3" || m.Begin.Format(time.RFC3339) != "2026-03-02T04:00:30+01:00" || !m.End.Equal(start.Add(5*time.Minute)) {
		t.Errorf("manifest\n%+v, want\n%+v", got.Manifest, *m)
	}
	if got.Damaged != 0 || !reflect.DeepEqual(got.Decks, b.Decks) || !reflect.DeepEqual(got.Notes, b.Notes) || !reflect.DeepEqual(got.Log, b.Log[:1]) || len(got.Events) != 2 {
		t.Errorf("%+v", got.Extras)
	}
	r := got.Rules[0]
	if len(r.Actions) > 0 || r.Text != "" || r.Expression() != b.Rules[0].Expression() || r.Why != b.Rules[0].Why || !slices.Equal(r.Hosts, b.Rules[0].Hosts) || r.Severity != alert.Critical {
		t.Errorf("rule %+v", r)
	}
	if e := got.Events[1]; e.Kind != alert.Acked || e.By != "anna" {
		t.Errorf("event %+v", e)
	}
	out := reader(t, got.Files[0])
	if !reflect.DeepEqual(out.Header().Columns, in.Header().Columns) || filepath.Base(got.Files[0]) != "night.db" {
		t.Errorf("%s, columns %+v", got.Files[0], out.Header().Columns)
	}
	want := rows(t, in)[3:31]
	if have := rows(t, out); !reflect.DeepEqual(have, want) {
		t.Errorf("%d rows, want %d; first\n%+v, want\n%+v", len(have), len(want), have[0], want[0])
	}
}

// A recording with nothing in the time is left out and told; none at all is an error.
func TestNothing(t *testing.T) {
	_, m := pack(t, []Recording{{Title: "early", Reader: night(t, "early", "web01")}, {Title: "night", Reader: night(t, "night", "web02")}}, Extras{}, Options{Begin: start})
	if len(m.Parts) != 2 {
		t.Errorf("%+v", m.Parts)
	}
	var out bytes.Buffer
	o := Options{Begin: start.Add(time.Hour), Folder: t.TempDir()}
	if _, err := Write(t.Context(), &out, []Recording{{Title: "night", Reader: night(t, "night", "web02")}}, Extras{}, o); !errors.Is(err, ErrNothing) {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(o.Folder); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Write(ended, &out, []Recording{{Title: "night", Reader: night(t, "night", "web02")}}, Extras{}, Options{Folder: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// planted are names of all kinds, in all places and forms.
var planted = []string{"sqlprod7", "corp.acme-example.net", "acmecorp", "annameyer", "contoso", "billing", "north", "10.77.66.55", "fe80::77", "projectx", "payroll", "00:11:22:33:44:66", "s-1-5-21-77"}

// Nothing of an anonymous bundle holds a name, in any form: each byte of it is looked at.
func TestAnonymousHoldsNoName(t *testing.T) {
	const host = "SQLPROD7.corp.acme-example.net"
	b := beside(t, host)
	hostile := []string{
		`\\SQLPROD7.CORP.acme-example.net\Memory\Available MBytes: 900 MB`, "sqlprod7", "SqlProd7", "backup_sqlprod7_nightly", "sqlprod%37", "http://sqlprod7/x", `\\sqlprod7\share$\payroll.xls`,
		"mail annameyer@acmecorp.com", "10.77.66.55:445", "[fe80::77%eth0]", "00:11:22:33:44:66", "S-1-5-21-77-88-99", "/opt/projectx/bin/run --host=sqlprod7 --user annameyer", `C:\projectx\x.exe`,
		"acmecorp\\annameyer logged on", "sqlprod7:14500 refused", "xsqlprod7x", "projectx's deploy", "sqlprod7.", "(sqlprod7)", "Contoso Billing stopped", "sqlprod7-standby", "north of sqlprod7,annameyer;payroll", "sqlprod7/annameyer",
	}
	for i, text := range hostile {
		b.Log = append(b.Log, screenlog.Entry{Time: start.Add(time.Minute + time.Duration(i)*time.Second), Level: "info", Host: host, Text: text})
		if n, err := note.New(start.Add(time.Duration(i)*time.Second), text, "annameyer"); err == nil {
			b.Notes = append(b.Notes, n)
		}
		r := rule(t, `\Process(Contoso Billing)\% Processor Time>1`)
		r.Name, r.Why, r.Next, r.Hosts, r.Except = fmt.Sprint("rule of ", text, " ", i), text, []string{text}, []string{"sqlprod7*"}, []string{"Contoso*"}
		b.Rules = append(b.Rules, r)
		b.Decks = append(b.Decks, session.Deck{Name: text, Layout: "sqlprod7", Panes: []session.DeckPane{{Host: host, Paths: []string{`\Acme Orders(north)\State of sqlprod7`}, Also: []string{`\Process(projectx)\ID Process`}, Limit: `\Payroll\Projectx`}}})
		e := b.Events[0]
		e.ID.Rule, e.Why, e.Held, e.Shown, e.Peak, e.By = text, text, text, text, text, "annameyer"
		e.Path, e.ID.Set, e.ID.Counter, e.ID.Name, e.ID.Parent, e.Instance = `\\`+host+`\Payroll(projectx/north)\Projectx`, "Payroll", "Projectx", "north", "projectx", "projectx/north"
		e.Rule = &r
		b.Events = append(b.Events, e)
	}
	file, m := pack(t, []Recording{{Title: "night of sqlprod7", Reader: night(t, "sqlprod7", host)}}, b, Options{
		Anonymous: true, Hosts: []string{"tcp://sqlprod7:14500"}, Users: []string{`ACMECORP\annameyer`},
	})
	for _, f := range members(t, file) {
		found := bytes.ToLower(append([]byte(f.header.Name+" "), f.text...))
		for _, name := range planted {
			var wide []byte
			for _, c := range []byte(name) {
				wide = append(wide, c, 0)
			}
			if at := bytes.Index(found, []byte(name)); at >= 0 {
				t.Errorf("%s holds %s: %q", f.header.Name, name, found[max(at-60, 0):min(at+60, len(found))])
			}
			if bytes.Contains(found, wide) {
				t.Errorf("%s holds %s in UTF-16", f.header.Name, name)
			}
		}
	}
	if !m.Anonymous || m.Zone != "UTC+01:00" || !slices.ContainsFunc(m.Left, func(s string) bool { return strings.HasPrefix(s, "replaced: ") }) {
		t.Errorf("%+v", m)
	}
	got := unpack(t, file)
	if got.Damaged != 0 || len(got.Rules) < 20 || len(got.Notes) < 20 || len(got.Decks) < 20 {
		t.Errorf("%d damaged, %d rules, %d notes, %d decks: %v", got.Damaged, len(got.Rules), len(got.Notes), len(got.Decks), m.Left)
	}
	first := got.Notes[0]
	if deploy := slices.IndexFunc(got.Notes, func(n note.Note) bool { return n.Text == "deploy 4.2" }); deploy < 0 || first.By == "" {
		t.Errorf("notes %+v", got.Notes[:3])
	}
}

// The values of an anonymous bundle are those of the slice; only texts are words.
func TestAnonymousKeepsValues(t *testing.T) {
	in := night(t, "night", "web01")
	file, _ := pack(t, []Recording{{Title: "night", Reader: in}}, beside(t, "web01"), Options{Anonymous: true, End: start.Add(4 * time.Minute)})
	got := unpack(t, file)
	out := reader(t, got.Files[0])
	want, have := rows(t, in)[:25], rows(t, out)
	if len(have) != len(want) {
		t.Fatalf("%d rows, want %d", len(have), len(want))
	}
	places := map[string]int{}
	for i, c := range out.Header().Columns {
		p, err := paths.Parse(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		places[p.Counter] = i
	}
	for i, name := range []string{"Available MBytes", "ID Process", "% Processor Time", "counter-1"} {
		at, there := places[name]
		if !there {
			t.Fatalf("no %s: %v", name, places)
		}
		c, d := in.Header().Columns[i], out.Header().Columns[at]
		if c.Path, d.Path = "", ""; c != d {
			t.Errorf("%s is %+v, want %+v", name, d, c)
		}
		for row := range want {
			a, b := want[row].Values[i], have[row].Values[at]
			if _, isText := a.Text(); isText {
				if word, _ := b.Text(); word != "text-1" {
					t.Errorf("a text is %q", word)
				}
				continue
			}
			if a != b || want[row].Raw[i] != have[row].Raw[at] || !want[row].Time.Equal(have[row].Time) {
				t.Fatalf("%s at %d is %v, %+v; want %v, %+v", name, row, b, have[row].Raw[at], a, want[row].Raw[i])
			}
		}
	}
	// The deck, the rule and the recording agree on the host.
	host, _ := paths.Parse(out.Header().Columns[0].Path)
	if got.Decks[0].Panes[0].Host != host.Computer || !slices.Equal(got.Rules[0].Hosts, []string{host.Computer}) || got.Events[0].ID.Host != host.Computer {
		t.Errorf("%s: %+v, %+v, %+v", host.Computer, got.Decks, got.Rules, got.Events)
	}
}
