package difference

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
)

// Recordings of other days are compared at the times of day that they have in common.
func TestSameHours(t *testing.T) {
	at := func(day, hour int) time.Time {
		return time.Date(2026, 3, day, hour, 0, 0, 0, time.FixedZone("", 3600))
	}
	side := func(a, b time.Time) *Side { return &Side{first: a, last: b} }
	for _, c := range []struct {
		name       string
		was, now   *Side
		days       int
		from       time.Time
		skip, long time.Duration
	}{
		{"the same hours of the day before", side(at(1, 0), at(2, 0)), side(at(2, 1), at(2, 9)), 1, at(1, 1), 0, 8 * time.Hour},
		{"of a week, the nearest first", side(at(1, 0), at(7, 23)), side(at(8, 1), at(8, 9)), 7, at(7, 1), 0, 8 * time.Hour},
		{"a part of a night", side(at(1, 22), at(2, 6)), side(at(2, 21), at(3, 5)), 1, at(1, 22), time.Hour, 7 * time.Hour},
		{"hours that they do not have in common", side(at(1, 0), at(1, 6)), side(at(2, 12), at(2, 18)), 0, time.Time{}, 0, 0},
		{"one behind the other", side(at(1, 0), at(1, 6)), side(at(1, 6), at(1, 12)), 0, time.Time{}, 0, 0},
		{"more than a day", side(at(1, 0), at(2, 12)), side(at(3, 0), at(5, 0)), 0, time.Time{}, 0, 0},
	} {
		days := c.now.sameHours(c.was)
		if len(days) != c.days {
			t.Errorf("%s: %v", c.name, days)
			continue
		}
		if len(days) == 0 {
			continue
		}
		if d := days[0]; !d.from.Equal(c.from) || d.skip != c.skip || d.length.Round(time.Second) != c.long {
			t.Errorf("%s: %v, skip %v, %v long", c.name, d.from, d.skip, d.length)
		}
	}
}

// night is a recording of 45 minutes, a sample each ten seconds. After 40 minutes its disk is
// eight times as slow and a process comes.
func night(t *testing.T, name, host string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)"`)
	for _, path := range []string{`PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, `Memory\Available MBytes`, `Process(backup)\% Processor Time`} {
		fmt.Fprintf(&b, `,"\\%s\%s"`, host, path)
	}
	b.WriteString("\r\n")
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	for at := 0; at < 45*60; at += 10 {
		disk, process := 0.005, " "
		if at >= 40*60 {
			disk, process = 0.04, "12.5"
		}
		noise := float64(at*7919%101)/101 - 0.5
		fmt.Fprintf(&b, "\"%s\",\"%.6f\",\"%.1f\",\"%s\"\r\n", begin.Add(time.Duration(at)*time.Second).Format("01/02/2006 15:04:05.000"), disk*(1+0.1*noise), 4000+200*noise, process)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// options compare with a rule on the disk, and count what was opened and not released.
func options(t *testing.T, open *int) Options {
	reopen := func(name string) (logs.Reader, error) { return relog.Open(t.Context(), name, logs.OpenOptions{}) }
	return Options{
		IsOf:   func(computer, host string) bool { return strings.EqualFold(computer, host) },
		Window: 5 * time.Minute, Against: Before,
		Open: func(name string) (Opened, error) {
			r, err := reopen(name)
			if err == nil {
				*open++
			}
			return Opened{Name: filepath.Base(name), Reader: r, Files: []string{name}, Reopen: reopen, Done: func() { *open-- }}, err
		},
		Rules: func() ([]alert.Rule, error) {
			r, err := alert.ParseRule(`\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.02`)
			r.Name, r.Interval, r.Need, r.Of = "slow disk", 10*time.Second, 1, 1
			return []alert.Rule{r}, err
		},
		Guard:    guard.New(func(e *guard.PanicError) { t.Error(e) }),
		Progress: func(func() (float64, string, bool)) (show, end func()) { return func() {}, func() {} },
	}
}

func TestTimes(t *testing.T) {
	open := 0
	o := options(t, &open)
	o.At = "22:40"
	d, err := Find(t.Context(), []string{night(t, "night.csv", "WEB1")}, o)
	if err != nil || open != 0 {
		t.Fatalf("%v, %d are open", err, open)
	}
	kinds := map[compare.Kind]string{}
	for _, c := range d.Ranking.Changes {
		kinds[c.Kind] += d.Series[c.Series].Instance()
	}
	if len(kinds) != 2 || !strings.Contains(kinds[compare.Level], "0 C:") || !strings.Contains(kinds[compare.New], "backup") {
		t.Errorf("%v", kinds)
	}
	if len(d.Verdicts) != 1 || d.Verdicts[0].Kind() != compare.New || d.Verdicts[0].ID.Rule != "slow disk" || d.Verdicts[0].Lasted() < 4*time.Minute {
		t.Errorf("%+v", d.Verdicts)
	}
	if d.Was != d.Now || d.During.Rows() != 30 {
		t.Errorf("%d samples", d.During.Rows())
	}
}

func TestSides(t *testing.T) {
	open := 0
	a, b := night(t, "a.csv", "WEB1"), night(t, "b.csv", "WEB2")
	d, err := Find(t.Context(), []string{a, b}, options(t, &open))
	if err != nil || open != 0 {
		t.Fatalf("%v, %d are open", err, open)
	}
	if len(d.Ranking.Changes)+len(d.Verdicts) > 0 || len(d.Series) != 3 {
		t.Errorf("the same but for the name of the host: %+v, %+v", d.Ranking.Changes, d.Verdicts)
	}
}

// A unit that a counter has on its object alone is shown.
func TestUnitsOfObjects(t *testing.T) {
	file := night(t, "night.csv", "WEB1")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `Memory\Available MBytes`, `ASP.NET\Request Wait Time`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	open := 0
	o := options(t, &open)
	o.At = "22:40"
	d, err := Find(t.Context(), []string{file}, o)
	if err != nil {
		t.Fatal(err)
	}
	if q := d.Series[1].Format.Quantity; q != (cooker.Quantity{Kind: cooker.Seconds, Exponent: -1}) {
		t.Errorf("%s is in %v", d.Series[1].Path, q)
	}
}

// What cannot be compared is told, and nothing stays open.
func TestWhatCannotBeCompared(t *testing.T) {
	a, b := night(t, "a.csv", "WEB1"), night(t, "b.csv", "WEB2")
	for name, c := range map[string]struct {
		with  func(o *Options)
		usage bool
	}{
		"a time outside":       {func(o *Options) { o.At = "2026-03-04 12:00" }, true},
		"times that overlap":   {func(o *Options) { o.At, o.Against, o.Window = "22:40", "22:38", 10*time.Minute }, true},
		"nothing before":       {func(o *Options) { o.At, o.Against = "22:20", Day }, true},
		"a host that is none":  {func(o *Options) { o.At, o.Hosts = "22:40", []string{"DB9"} }, true},
		"no such counter":      {func(o *Options) { o.At, o.Counters = "22:40", []string{`\None\Such`} }, false},
		"nothing in the limit": {func(o *Options) { o.Begin = "2026-03-02 12:00" }, true},
		"hosts have nothing":   {func(o *Options) { o.Hosts = []string{"WEB1", "WEB1"} }, true},
	} {
		open := 0
		o := options(t, &open)
		c.with(&o)
		names := []string{a, b}
		if o.At != "" {
			names = names[:1]
		}
		_, err := Find(t.Context(), names, o)
		if err == nil || errors.As(err, new(*failure.UsageError)) != c.usage || open != 0 {
			t.Errorf("%s: %v, %d are open", name, err, open)
		}
	}
}
