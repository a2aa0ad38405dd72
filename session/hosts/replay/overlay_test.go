package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// zoneOf is a zone of so many hours before UTC.
func zoneOf(hours int) logs.Zone {
	return logs.Zone{Name: fmt.Sprint("UTC+", hours), Bias: -60 * hours, Known: true}
}

func TestAlignment(t *testing.T) {
	at := func(text string, zone logs.Zone) time.Time {
		t.Helper()
		out, err := time.ParseInLocation("2006-01-02 15:04", text, zone.Location())
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	winter, summer := zoneOf(1), zoneOf(2)
	type stretch struct {
		first, last string
		zone        logs.Zone
	}
	for _, test := range []struct {
		name        string
		base, other stretch
		how         Align
		days        int
		lands       string // the first sample of the other, on the clock of the base
		label       string
	}{
		{"a night and that of a week before", stretch{"2026-03-10 22:00", "2026-03-11 06:00", winter}, stretch{"2026-03-03 22:00", "2026-03-04 06:00", winter}, AlignClock, 7, "2026-03-10 22:00", "last week"},
		{"it began late, after midnight", stretch{"2026-03-10 22:00", "2026-03-11 06:00", winter}, stretch{"2026-03-04 00:30", "2026-03-04 06:00", winter}, AlignClock, 7, "2026-03-11 00:30", "last week"},
		{"summer time began between", stretch{"2026-03-30 09:00", "2026-03-30 17:00", summer}, stretch{"2026-03-23 09:00", "2026-03-23 17:00", winter}, AlignClock, 7, "2026-03-30 09:00", "last week"},
		{"summer time ended between", stretch{"2026-10-26 09:00", "2026-10-26 17:00", winter}, stretch{"2026-10-25 09:10", "2026-10-25 17:00", summer}, AlignClock, 1, "2026-10-26 09:10", "yesterday"},
		{"the same day of the week", stretch{"2026-03-12 09:00", "2026-03-12 17:00", winter}, stretch{"2026-03-02 09:00", "2026-03-02 17:00", winter}, AlignWeek, 7, "2026-03-09 09:00", "last week"},
		{"weeks of days", stretch{"2026-03-09 00:00", "2026-03-16 00:00", winter}, stretch{"2026-02-16 00:00", "2026-02-23 00:00", winter}, AlignWeek, 21, "2026-03-09 00:00", "3 weeks ago"},
		{"by the beginning", stretch{"2026-03-10 22:00", "2026-03-11 06:00", winter}, stretch{"2026-03-05 13:37", "2026-03-05 14:00", summer}, AlignStart, 5, "2026-03-10 22:00", "5 days ago"},
		{"the same day", stretch{"2026-03-10 22:00", "2026-03-10 23:00", winter}, stretch{"2026-03-10 14:30", "2026-03-10 15:30", winter}, AlignStart, 0, "2026-03-10 22:00", "from 14:30"},
		{"later ones", stretch{"2026-03-03 22:00", "2026-03-04 06:00", winter}, stretch{"2026-03-05 22:00", "2026-03-06 06:00", winter}, AlignClock, -2, "2026-03-03 22:00", "2 days later"},
	} {
		base := extent{at(test.base.first, test.base.zone), at(test.base.last, test.base.zone), test.base.zone}
		other := extent{at(test.other.first, test.other.zone), at(test.other.last, test.other.zone), test.other.zone}
		shift, days := other.shiftOver(&base, test.how)
		if got := other.first.Add(shift).In(base.zone.Location()).Format("2006-01-02 15:04"); got != test.lands || days != test.days {
			t.Errorf("%s: it begins at %s, %d days; want %s, %d", test.name, got, days, test.lands, test.days)
		}
		if got := label(days, other.first); got != test.label {
			t.Errorf("%s: called %q, want %q", test.name, got, test.label)
		}
	}
}

// moved is a recording at another time, with values of its own.
func moved(rows []logs.Row, by time.Duration, plus float64) []logs.Row {
	var out []logs.Row
	for _, row := range rows {
		at := logs.Row{Time: row.Time.Add(by)}
		for _, v := range row.Values {
			if f, ok := v.Float(); ok {
				v = cooker.FloatValue(f + plus)
			}
			at.Values = append(at.Values, v)
		}
		out = append(out, at)
	}
	return out
}

// Last week is laid over today by the wall clock, though summer time began
// between: its host is one of its own, with the values of last week.
func TestOverlayAcrossSummerTime(t *testing.T) {
	summer, winter := zoneOf(2), zoneOf(1)
	h, rows := night(300, summer, "sql01")
	before := *h
	before.Zone = winter
	earlier := moved(rows, -7*24*time.Hour+time.Hour, 1000) // nine o'clock is an hour later in UTC
	files := []string{write(t, "today.csv", h, rows), write(t, "before.csv", &before, earlier)}
	playing(t, Options{Overlay: true}, files, func(r *rig) {
		var names []string
		for _, h := range r.Hosts() {
			names = append(names, h.Name())
		}
		if !slices.Equal(names, []string{"sql01", "sql01 (last week)"}) {
			t.Fatalf("hosts %q", names)
		}
		today, week := r.Hosts()[0], r.Hosts()[1]
		askAll(today)
		askAll(week)
		if first, last := r.Bounds(); !first.Equal(rows[0].Time) || !last.Equal(rows[299].Time) {
			t.Errorf("bounds %v %v", first, last)
		}
		over := moved(earlier, 7*24*time.Hour-time.Hour, 0)
		for _, i := range []int{0, 40, 61, 100, 299} {
			at := rows[i].Time
			checkCells(t, today, r.at(today, at), rows, at)
			checkCells(t, week, r.take(week), over, at)
		}
		r.Seek(rows[0].Time)
		r.SetSpeed(MaxSpeed)
		r.Play(true)
		r.clock.Advance(time.Minute)
		checkCells(t, today, r.take(today), rows, rows[299].Time)
		checkCells(t, week, r.take(week), over, rows[299].Time)
		if cells, seen := r.Overview(week, week.Catalogue().Set("Memory"), 0, week.track.columns.sets[week.Catalogue().Set("Memory")].instances[0].Key, 118); seen != 1 {
			t.Error("the overlay was not looked at")
		} else {
			checkOverview(t, cells, over, 0)
		}
	})
}

// The same recording three times is three hosts of three names.
func TestNamesOfOverlays(t *testing.T) {
	h, rows := night(5, utc(), "sql01")
	file := write(t, "a.csv", h, rows)
	p, err := Open([]string{file, file, file}, Options{Overlay: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.closeTapes()
	var names []string
	for _, h := range p.Hosts() {
		names = append(names, h.Name())
		if h.Catalogue().Host != h.Name() || p.Host(h.Name()) != h {
			t.Errorf("host %s of a catalogue of %s", h.Name(), h.Catalogue().Host)
		}
	}
	if want := "sql01, sql01 (from 22:00), sql01 (from 22:00) #2"; strings.Join(names, ", ") != want {
		t.Errorf("hosts %q, want %s", names, want)
	}
}

// Segments are one recording; hosts of files of their own have timelines of their
// own.
func TestJoinedFiles(t *testing.T) {
	h, rows := night(300, utc(), "sql01")
	other, otherRows := night(300, utc(), "web01")
	for i := range otherRows {
		otherRows[i].Time = otherRows[i].Time.Add(2 * time.Second)
	}
	files := []string{
		write(t, "b_2.csv", h, rows[120:]), write(t, "web.csv", other, otherRows),
		write(t, "b_1.csv", h, rows[:120]),
	}
	playing(t, Options{}, files, func(r *rig) {
		if about := r.About(); len(about.Hosts) != 2 || about.Counters != 2*len(h.Columns) || about.Interval != 15*time.Second || len(about.Files) != 3 {
			t.Errorf("about %+v", about)
		}
		sql, web := r.Host("sql01"), r.Host("web01")
		askAll(sql)
		askAll(web)
		for _, i := range []int{3, 119, 120, 121, 250} {
			at := rows[i].Time.Add(time.Second)
			checkCells(t, sql, r.at(sql, at), rows, at)
			checkCells(t, web, r.take(web), otherRows, at)
		}
		// A step takes both, though they do not keep the same beat.
		r.Seek(otherRows[10].Time)
		r.clock.Advance(0)
		r.Step(1)
		checkCells(t, sql, r.take(sql), rows, rows[11].Time)
		checkCells(t, web, r.take(web), otherRows, otherRows[11].Time)
		if got := r.Position(); !got.Equal(otherRows[11].Time) {
			t.Errorf("stepped to %v, want %v", got, otherRows[11].Time)
		}
		r.Step(-1)
		checkCells(t, sql, r.take(sql), rows, rows[10].Time)
		checkCells(t, web, r.take(web), otherRows, otherRows[10].Time)
	})
}

// Files that have hosts in common are of one tape, also by way of others.
func TestComponents(t *testing.T) {
	for _, test := range []struct {
		hosts string // of the files
		want  string // the files of each tape
	}{
		{"a|b|c", "0 1 2"},
		{"a|a|b", "01 2"},
		{"a|b|a,b", "012"},
		{"a,b|c|d|c,d|b", "04 123"},
		{"a|b|c|d|a,d|b,c|d,c", "0123456"},
	} {
		var files []recording
		index := map[*tape]int{}
		for i, text := range strings.Split(test.hosts, "|") {
			one := recording{tape: new(tape), hosts: strings.Split(text, ",")}
			index[one.tape] = i
			files = append(files, one)
		}
		var got []string
		for _, tapes := range components(files) {
			text := ""
			for _, t := range tapes {
				text += fmt.Sprint(index[t])
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, want %s", test.hosts, got, test.want)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	h, rows := night(5, utc(), "sql01")
	good, empty := write(t, "a.csv", h, rows), write(t, "empty.csv", h, nil)
	for _, files := range [][]string{nil, {"no such file"}, {good, "no such file"}, {empty}} {
		if p, err := Open(files, Options{}); err == nil {
			t.Errorf("%q: opened with %d hosts", files, len(p.Hosts()))
		}
	}
	p, err := Open([]string{empty, good}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.closeTapes()
	if first, _ := p.Bounds(); !first.Equal(rows[0].Time) {
		t.Errorf("it begins at %v", first)
	}
}
