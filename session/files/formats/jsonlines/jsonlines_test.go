package jsonlines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/jsonlines"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// TestJSONLine holds the contract of the command line: what other programs read.
func TestJSONLine(t *testing.T) {
	values := []struct {
		path  string
		value cooker.Value
	}{
		{`\Memory\Available MBytes`, cooker.WholeValue(math.MaxUint64)},
		{`\Process(a "b")\x`, cooker.Absent(cooker.FirstSample)},
		{"\u202e\x00\U000E0001\xff", cooker.TextValue("t\n")},
	}
	b := jsonlines.BeginJSON(nil, time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)), "srv\x1b[2J")
	for i, v := range values {
		b = jsonlines.AppendJSONCell(b, jsonlines.AppendJSONString(nil, v.path), v.value, cooker.DefaultFormat(), i+1 == len(values))
	}
	line := string(jsonlines.EndJSON(b))
	text := strings.TrimSuffix(line, "\n")
	if printable.Text(text) != text || strings.Count(line, "\n") != 1 {
		t.Errorf("it steers a terminal: %q", line)
	}
	var back struct {
		Time, Host string
		Values     []struct {
			Path, Text, Status string
			Value              json.Number
		}
	}
	if err := json.Unmarshal([]byte(line), &back); err != nil {
		t.Fatal(err)
	}
	if back.Time != "2026-01-02T03:04:05.000000006+01:00" || back.Host != "srv\x1b[2J" || len(back.Values) != 3 {
		t.Fatalf("%+v", back)
	}
	if v := back.Values[0]; v.Value != "18446744073709551615" || v.Status != "ok" || v.Path != `\Memory\Available MBytes` {
		t.Errorf("%+v", v)
	}
	if v := back.Values[1]; v.Value != "" || v.Status != "first sample" || v.Text != "…" {
		t.Errorf("%+v", v)
	}
	if v := back.Values[2]; v.Path != "\u202e\x00\U000E0001\uFFFD" || v.Text != "t\n" || v.Status != "ok" {
		t.Errorf("%+v", v)
	}
}

// TestJSONHosts reads lines of several hosts, sampled a few milliseconds apart, as
// rows; a host that is silent has no values.
func TestJSONHosts(t *testing.T) {
	var text strings.Builder
	line := func(ms int, host string, value int) {
		at := time.UnixMilli(int64(ms)).UTC().Format(logs.NanoTime)
		fmt.Fprintf(&text, `{"time":%q,"host":%q,"values":[{"path":"\\Memory\\x","value":%d,"text":"","status":"ok"}]}`+"\n", at, host, value)
	}
	for i := range 5 {
		line(1000*i, "a", i)
		if i != 3 {
			line(1000*i-7, "b", 10*i) // it stands behind, but was sampled before
		}
		line(1000*i+11, "c", 100*i)
	}
	r, err := formats.Open(t.Context(), formatstest.FileOf(t, "x.jsonl", text.String()), logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := "-0.007:0,0,0 0.993:1,10,100 1.993:2,20,200 3:3,,300 3.993:4,40,400"
	all := formatstest.Rest(t, r)
	if got := formatstest.JoinedText(t, all); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for n := range 6 {
		if went, err := r.Back(n); err != nil || went != n && n <= 5 {
			t.Fatalf("back %d: %d, %v", n, went, err)
		}
		if got := formatstest.JoinedText(t, formatstest.Rest(t, r)); got != formatstest.JoinedText(t, all[5-n:]) {
			t.Errorf("after back %d: %s", n, got)
		}
	}
	for i := range all {
		for _, before := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
			if err := r.SeekTime(all[i].Time.Add(-before)); err != nil {
				t.Fatal(err)
			}
			if got, ok := formatstest.Next(t, r); !ok || !got.Time.Equal(all[i].Time) || !formatstest.SameValues(got.Values, all[i].Values) {
				t.Errorf("seek to row %d: %v %v", i, got.Time, got.Values)
			}
		}
	}
}

// TestJSONShapes reads what says the same in another way, and leaves out the rest.
func TestJSONShapes(t *testing.T) {
	want := cooker.FloatValue(1.5)
	for name, c := range map[string]struct {
		line   string
		value  cooker.Value
		faults int64
	}{
		"own":         {`{"time":"2026-01-02T03:04:05Z","host":"h","values":[{"path":"\\Set(\"q\")\\x","value":1.5,"text":"1.5","status":"ok"}]}`, want, 0},
		"blanks":      {` { "time" : "2026-01-02T03:04:05Z", "host":"h", "values" : [ {"path":"\\Set(\"q\")\\x","value":1.5} ] } `, want, 0},
		"order":       {`{"host":"h","other":[1,{}],"values":[{"status":"ok","value":1.5e0,"path":"\u005cSet(\u0022q\")\\x"}],"time":"2026-01-02T04:04:05+01:00"}`, want, 0},
		"null":        {`{"time":"2026-01-02T03:04:05Z","host":"h","values":[{"path":"\\Set(\"q\")\\x","value":null,"text":"…","status":"zero base"}]}`, cooker.Absent(cooker.ZeroBase), 0},
		"text":        {`{"time":"2026-01-02T03:04:05Z","host":"h","values":[{"path":"\\Set(\"q\")\\x","value":null,"text":"a \"b\", c","status":"ok"}]}`, cooker.TextValue(`a "b", c`), 0},
		"full path":   {`{"time":"2026-01-02T03:04:05Z","host":"other","values":[{"path":"\\\\h\\Set(\"q\")\\x","value":1.5,"text":"","status":"ok"}]}`, want, 0},
		"odd status":  {`{"time":"2026-01-02T03:04:05Z","host":"h","values":[{"path":"\\Set(\"q\")\\x","value":1.5,"text":"","status":"unheard of"}]}`, cooker.Absent(cooker.Gap), 1},
		"huge number": {`{"time":"2026-01-02T03:04:05Z","host":"h","values":[{"path":"\\Set(\"q\")\\x","value":1e999,"text":"","status":"ok"}]}`, cooker.Absent(cooker.Gap), 1},
		"garbage":     {"no json\n" + `{"time":"2026-01-02T03:04:05Z","host":"h","values":[{"path":"\\Set(\"q\")\\x","value":1.5,"text":"1.5","status":"ok"}]}` + "\n{}", want, 2},
	} {
		t.Run(name, func(t *testing.T) {
			h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.json", c.line+"\n"), logs.OpenOptions{})
			if len(h.Columns) != 1 || h.Columns[0].Path != `\\h\Set("q")\x` || len(rows) != 1 {
				t.Fatalf("columns %+v, %d rows, %v", h.Columns, len(rows), faults.First)
			}
			if got := rows[0].Values[0]; got != c.value || !rows[0].Time.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
				t.Errorf("%v at %v, want %v", got, rows[0].Time, c.value)
			}
			if faults.Rows+faults.Cells != c.faults {
				t.Errorf("faults %v", faults.First)
			}
		})
	}
}

// TestJSONComplete finds columns that come late.
func TestJSONComplete(t *testing.T) {
	f, _ := formats.Named("json")
	name := formatstest.FileOf(t, "x", "") + ".json"
	w, err := formats.Create(name, f, formatstest.WideHeader(2), logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	rows := formatstest.SomeRows(jsonlines.HeadLines+500, 3)
	for i := range rows {
		row := logs.Row{Time: rows[i].Time, Values: rows[i].Values[:2]}
		if i == jsonlines.HeadLines+300 {
			if err := w.(logs.Grower).AddColumns(formatstest.WideHeader(3).Columns[2:]); err != nil {
				t.Fatal(err)
			}
		}
		if i >= jsonlines.HeadLines+300 {
			row.Values = rows[i].Values
		}
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := len(r.Header().Columns); n != 2 {
		t.Errorf("%d columns at first", n)
	}
	if err := r.Complete(t.Context()); err != nil || len(r.Header().Columns) != 3 {
		t.Fatalf("%d columns, %v", len(r.Header().Columns), err)
	}
	all := formatstest.Rest(t, r)
	if len(all) != len(rows) || !all[0].Time.Equal(rows[0].Time) || len(all[0].Values) != 3 || !formatstest.SameValues(all[len(all)-1].Values, rows[len(rows)-1].Values) {
		t.Errorf("%d rows, the first %v", len(all), all[0])
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}

func BenchmarkReadJSON(b *testing.B) {
	name := formatstest.Convert(b, formatstest.LargeCSV(b, 8<<20, 100), "json")
	info, _ := os.Stat(name)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		formatstest.ReadThrough(b, name)
	}
}

// The text of recorded numbers is as the user wants it, the number itself whole.
func TestRecordedTextIsAsWanted(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{}, Columns: []logs.Column{
		{Path: `\\h\Set\Size`, TypeKnown: true, Type: cooker.CounterRawCount},
		{Path: `\\h\Set\Other`, TypeKnown: true, Type: cooker.CounterRawCount},
	}}
	looks := func(set *session.Counterset, c *session.Counter) session.Look {
		look := c.Look()
		look.Format = cooker.FormatOf(c.Type, c.Quantity, c.Attributes)
		if set.Name == "Set" && c.Name == "Size" {
			look.Digits = 2
		}
		return look
	}
	var out strings.Builder
	w, err := jsonlines.Stream(&out, h, logs.WriteOptions{Looks: looks})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRow(&logs.Row{Values: []cooker.Value{cooker.FloatValue(12.3456), cooker.FloatValue(12.3456)}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`Size","value":12.3456,"text":"12.35"`, `Other","value":12.3456,"text":"12.346"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}

// TestJSONOfOthers seeks in lines that other programs write: what Next takes is found.
func TestJSONOfOthers(t *testing.T) {
	const count = 2000
	begin := time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)
	for name, style := range map[string]struct{ line, end string }{
		"blanks":          {`{"time": "%s", "host": "h", "values": [{"path": "\\M\\x", "value": %d, "status": "ok"}]}`, "\n"},
		"the time behind": {`{"host":"h","about":"` + strings.Repeat("long ", 60) + `","values":[{"value":%[2]d,"path":"\\M\\x"}],"time":"%[1]s"}`, "\n"},
		"nested before":   {`{"values":[{"path":"\\M\\x","value":%[2]d,"time":"never"}],"more":{"time":"2001-01-01T00:00:00Z"},"host":"h","time":"%[1]s"}`, "\n"},
		"escaped names":   {`{"\u0074ime":"%s","host":"h","v\u0061lues":[{"path":"\\M\\x","value":%d}]}`, "\n"},
		"CR LF":           {`{"time":"%s","host":"h","values":[{"path":"\\M\\x","value":%d,"text":"","status":"ok"}]}`, "\r\n"},
		"blanks around":   {` {"time":"%s" ,"host":"h","values":[{"path":"\\M\\x","value":%d}]	} `, "\n"},
		"empty lines":     {`{"time":"%s","host":"h","values":[{"path":"\\M\\x","value":%d}]}`, "\n\n"},
	} {
		for _, last := range []string{style.end, "", " \t"} {
			t.Run(fmt.Sprintf("%s/%q", name, last), func(t *testing.T) {
				var lines []string
				for i := range count {
					lines = append(lines, fmt.Sprintf(style.line, begin.Add(time.Duration(i)*time.Second).Format(time.RFC3339), i))
				}
				r, err := formats.Open(t.Context(), formatstest.FileOf(t, "x", strings.Join(lines, style.end)+last), logs.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				span, err := r.Span()
				if err != nil || !span.First.Equal(begin) || !span.Last.Equal(begin.Add((count-1)*time.Second)) {
					t.Fatalf("span %+v, %v", span, err)
				}
				for _, n := range []int{0, 1, count / 3, count - 1} {
					if err := r.SeekTime(begin.Add(time.Duration(n) * time.Second)); err != nil {
						t.Fatal(err)
					}
					if got := formatstest.Rest(t, r); len(got) != count-n || got[0].Values[0] != cooker.WholeValue(uint64(n)) {
						t.Fatalf("from %d there are %d", n, len(got))
					}
				}
				if went, err := r.Back(5); went != 5 || err != nil || len(formatstest.Rest(t, r)) != 5 {
					t.Errorf("back %d, %v", went, err)
				}
				if f := r.Faults(); f.Any() || f.Torn {
					t.Errorf("faults %v", f.First)
				}
			})
		}
	}
}

// TestJSONTornLine leaves out a last line that is not whole, however it begins.
func TestJSONTornLine(t *testing.T) {
	const line = `{"time":"2026-03-02T03:00:0%dZ","host":"h","values":[{"path":"\\M\\x","value":1}]}`
	for _, cut := range []string{`{"time":"2026-03-02T03:00:09Z","host":"h","values":[{"path":"\\M\\x]}`, `{"time":"2026-03-02T03:00:09Z"`, `{"host":"h"`} {
		name := formatstest.FileOf(t, "x.json", fmt.Sprintf(line, 0)+"\n"+fmt.Sprintf(line, 1)+"\n"+cut)
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if span, err := r.Span(); err != nil || span.Last.Second() != 1 || len(formatstest.Rest(t, r)) != 2 || !r.Faults().Torn {
			t.Errorf("%s: %+v, %v", cut, span, err)
		}
		r.Close()
	}
}

// TestJSONSparse reads rows of one host each: no value stays from the row before.
func TestJSONSparse(t *testing.T) {
	const hosts = 100
	var text strings.Builder
	for i := range hosts {
		fmt.Fprintf(&text, `{"time":"2026-03-02T03:%02d:%02dZ","host":"h%d","values":[{"path":"\\M\\x","value":%d}]}`+"\n", i/60, i%60, i, i)
	}
	r, err := formats.Open(t.Context(), formatstest.FileOf(t, "x.json", text.String()), logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	var row logs.Row
	for i := range hosts {
		if i == hosts/2 {
			row.Values = append([]cooker.Value{}, row.Values...) // another row
		}
		if err := r.Next(&row); err != nil {
			t.Fatal(err)
		}
		for c, v := range row.Values {
			if f, ok := v.Float(); ok != (c == i) || ok && f != float64(i) {
				t.Fatalf("row %d: column %d is %v", i, c, v)
			}
		}
		if len(row.Given) != 1 || row.Given[0] != i {
			t.Fatalf("row %d speaks of %v", i, row.Given)
		}
	}
}

// TestJSONOfAnotherKind tells files of lines of which none is a sample, however many there are.
func TestJSONOfAnotherKind(t *testing.T) {
	for _, count := range []int{1, logs.MostFaults, 50} {
		name := formatstest.FileOf(t, "x.json", strings.Repeat(`{"time":1772409600,"host":"h","values":[]}`+"\n", count))
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if err == nil {
			r.Close()
		}
		if e, ok := errors.AsType[*logs.FileError](err); !ok || e == nil || !errors.Is(e, jsonlines.ErrNotASample) || e.Hint() == "" {
			t.Errorf("%d lines: %v", count, err)
		}
	}
}
