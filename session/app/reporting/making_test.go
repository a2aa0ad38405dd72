package reporting

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/analysis/difference"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
)

var begin = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

// recording is one of so many samples of a host, each ten seconds. From the tenth on it has
// little memory.
func recording(t *testing.T, name, host string, samples int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\%s\\Memory\\Available MBytes\"\r\n", host)
	for i := range samples {
		free := 4000
		if i >= 10 {
			free = 50
		}
		fmt.Fprintf(&b, "\"%s\",\"%d\"\r\n", begin.Add(time.Duration(i)*10*time.Second).Format("01/02/2006 15:04:05.000"), free)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// options judge one rule. What is opened and not closed is counted, what is left out kept.
func options(t *testing.T, open *atomic.Int32, left *[]string) Options {
	return Options{
		Open: func(name string) (logs.Reader, error) {
			r, err := relog.Open(t.Context(), name, logs.OpenOptions{})
			if err != nil {
				return nil, err
			}
			open.Add(1)
			return &counted{r, open}, nil
		},
		Shown: filepath.Base,
		Rules: func() ([]alert.Rule, error) {
			r, err := alert.ParseRule(`\Memory\Available MBytes<100`)
			return []alert.Rule{r}, err
		},
		Guard:  new(guard.Guard),
		Report: func(err error) { *left = append(*left, err.Error()) },
		Tick:   func(float64) {},
	}
}

type counted struct {
	logs.Reader

	open *atomic.Int32
}

func (c *counted) Close() error {
	c.open.Add(-1)
	return c.Reader.Close()
}

// A report has the hosts, the notes and the verdicts between the limits, and the command that
// makes it again.
func TestReport(t *testing.T) {
	var open atomic.Int32
	var left []string
	web, sql := recording(t, "web night.csv", "WEB", 40), recording(t, "sql.csv", "SQL", 40)
	if err := notebook.AddBeside(web, note.Note{Time: begin.Add(time.Minute), Text: "before"}, note.Note{Time: begin.Add(4 * time.Minute), Text: "a deploy"}); err != nil {
		t.Fatal(err)
	}
	o := options(t, &open, &left)
	o.Begin, o.End, o.Hosts, o.Output = "22:02", "22:05", []string{"WEB"}, "it's.html"
	r, missing, err := Report(t.Context(), []string{web, sql}, o)
	if err != nil || missing || len(left) > 0 {
		t.Fatal(missing, left, err)
	}
	if len(r.Hosts) != 1 || r.Hosts[0].Name != "WEB" || len(r.Verdicts) != 1 || len(r.Notes) != 1 || r.Notes[0].Text != "a deploy" {
		t.Errorf("hosts %+v, verdicts %+v, notes %+v", r.Hosts, r.Verdicts, r.Notes)
	}
	if r.Title != "web night.csv, sql.csv" || r.Command != `perfdeck report 'web night.csv' sql.csv -o 'it'\''s.html'` {
		t.Errorf("%q, %q", r.Title, r.Command)
	}
	if n := open.Load(); n != 0 {
		t.Errorf("%d stay open", n)
	}
}

// What cannot be read is left out and told; what leaves nothing is an error.
func TestReportOfOddOnes(t *testing.T) {
	good, empty, absent := recording(t, "good.csv", "WEB", 20), recording(t, "empty.csv", "WEB", 0), filepath.Join(t.TempDir(), "absent.csv")
	none := errors.New("no rules")
	for _, c := range []struct {
		name  string
		files []string
		with  func(*Options)
		left  int
		wrong bool // usage
		want  error
	}{
		{"one of several", []string{absent, good, empty}, func(*Options) {}, 2, false, nil},
		{"none at all", []string{absent, empty}, func(*Options) {}, 1, false, errNoSamples},
		{"no rules", []string{good}, func(o *Options) { o.Rules = func() ([]alert.Rule, error) { return nil, none } }, 0, false, none},
		{"after the end", []string{good}, func(o *Options) { o.Begin = "23:00" }, 0, true, relog.ErrOutside},
		{"the end before the begin", []string{good}, func(o *Options) { o.Begin, o.End = "2026-03-01 22:02", "2026-03-01 22:01" }, 0, true, relog.ErrOutside},
		{"another host", []string{good}, func(o *Options) { o.Hosts = []string{"SQL"} }, 0, true, difference.ErrNoHost},
	} {
		var open atomic.Int32
		var left []string
		o := options(t, &open, &left)
		c.with(&o)
		r, missing, err := Report(t.Context(), c.files, o)
		if !errors.Is(err, c.want) || (err == nil) != (r != nil) || missing != (err == nil && c.left > 0) || len(left) != c.left {
			t.Errorf("%s: %v, missing %v, left out %q", c.name, err, missing, left)
		}
		if _, wrong := errors.AsType[*failure.UsageError](err); wrong != c.wrong || wrong && failure.Hint(err) == "" {
			t.Errorf("%s: usage %v, hint %q", c.name, wrong, failure.Hint(err))
		}
		if n := open.Load(); n != 0 {
			t.Errorf("%s: %d stay open", c.name, n)
		}
	}
}
