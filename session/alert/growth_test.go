package alert_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
)

// recorded is a recording of so many rows, one each so often, of columns by their paths on a host.
func recorded(t *testing.T, rows int, every time.Duration, columns map[string]func(i int) float64) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	var order []func(int) float64
	for path, value := range columns {
		fmt.Fprintf(&b, `,"\\web%s"`, path)
		order = append(order, value)
	}
	b.WriteString("\r\n")
	for i := range rows {
		fmt.Fprintf(&b, "%q", start.Add(time.Duration(i)*every).Format("01/02/2006 15:04:05.000"))
		for _, value := range order {
			fmt.Fprintf(&b, ",\"%.0f\"", value(i))
		}
		b.WriteString("\r\n")
	}
	file := filepath.Join(t.TempDir(), "r.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A leak fires, from live values as from reports: what grows for most of what is known, against what
// it was, what it moves and what is left, and does not come to rest. Nothing else does, and it is
// well again when it has come to rest.
func TestGrowthFires(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const mb, minute = 1 << 20, 1
	noise := func() float64 { return 2 * mb * random.NormFloat64() }
	of := func(name string) string { return `\Process(` + name + `)\Private Bytes` }
	ramp := func(from, to int, most float64) func(int) float64 {
		return func(i int) float64 {
			share := float64(min(max(i-from, 0), to-from)) / float64(to-from)
			return 200*mb + share*most*mb + noise()
		}
	}
	for name, c := range map[string]struct {
		value func(int) float64
		left  float64 // MB
		fires bool
		clear bool
	}{
		"leaks":          {ramp(60, 240, 400), 4000, true, false},
		"from the start": {ramp(0, 240, 400), 4000, true, false},
		"comes to rest":  {ramp(0, 40, 400), 4000, true, true},
		"one jump":       {ramp(120, 122, 400), 4000, false, false},
		"saw":            {func(i int) float64 { return 200*mb + float64(i%30)*20*mb + noise() }, 4000, false, false},
		"swings":         {func(int) float64 { return 300*mb + 40*mb*random.NormFloat64() }, 4000, false, false},
		"much is left":   {ramp(60, 240, 400), 64_000, false, false},
		"a little":       {ramp(0, 240, 90), 4000, false, false},
	} {
		file := recorded(t, 240, time.Minute, map[string]func(int) float64{of("x"): c.value, `\Memory\Available MBytes`: func(int) float64 { return c.left }})
		all := rules(t, `\Process(*)\Private Bytes>104857600`, `\Memory\Available MBytes<1`)
		all[0].Grows = 0.5
		events, _, _ := backtested(t, all, time.Minute, file)
		fired, cleared := 0, 0
		for _, e := range events {
			switch e.Kind {
			case alert.Fired:
				fired++
				if ago := e.Time.Sub(start); ago < 30*minute*time.Minute {
					t.Errorf("%s: fired after %v", name, ago)
				}
			case alert.Cleared:
				cleared++
			}
		}
		if (fired > 0) != c.fires || (cleared > 0) != c.clear {
			t.Errorf("%s: %d fired, %d cleared:\n%s", name, fired, cleared, logOf(events))
		}
	}
}

// What is left of a disk fires where it falls steadily and would not last for a day.
func TestFalls(t *testing.T) {
	const gb = 1024.0
	falls := func(perHour float64) func(int) float64 {
		return func(i int) float64 { return 60*gb - perHour*gb*max(float64(i)-60, 0)/60 }
	}
	for name, c := range map[string]struct {
		free  func(int) float64
		fires bool
	}{
		"fills":         {falls(6), true},
		"for weeks":     {falls(0.05), false},
		"cleaned often": {func(i int) float64 { return 60*gb - float64(i%25)*0.2*gb }, false},
		"a copy":        {func(i int) float64 { return 60*gb - float64(min(max(i-60, 0), 40))*gb }, false},
		"room comes":    {func(i int) float64 { return 10*gb + float64(i)*0.1*gb }, false},
	} {
		level := -512.0
		all := rules(t, `\LogicalDisk(*)\Free Megabytes<-1024`)
		all[0].Grows, all[0].Clear = 0.05, &level
		if err := all[0].Check(); err != nil {
			t.Fatal(err)
		}
		events, _, _ := backtested(t, all, time.Minute, recorded(t, 400, time.Minute, map[string]func(int) float64{`\LogicalDisk(C:)\Free Megabytes`: c.free}))
		if (len(events) == 1) != c.fires || len(events) > 1 {
			t.Errorf("%s:\n%s", name, logOf(events))
		}
	}
}

// A leak that goes on for days is one alert, though what is known of it is bounded.
func TestGrowthOfDays(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	file := recorded(t, 3*24*6, 10*time.Minute, map[string]func(int) float64{
		`\Process(x)\Handle Count`: func(i int) float64 { return 800 + 200*float64(max(i-30, 0)) + 20*random.NormFloat64() },
	})
	all := rules(t, `\Process(*)\Handle Count>1000`)
	level := 500.0
	all[0].Grows, all[0].Clear = 1, &level
	if events, _, _ := backtested(t, all, 10*time.Minute, file); len(events) != 1 || events[0].Kind != alert.Fired {
		t.Errorf("events:\n%s", logOf(events))
	}
}

// Another process of the name begins anew: what one had does not count against the next.
func TestGrowthIsOfOneProcess(t *testing.T) {
	file := recorded(t, 200, time.Minute, map[string]func(int) float64{
		`\Process(x)\Private Bytes`: func(i int) float64 { return float64(200+min(i/20, 9)*60) * (1 << 20) },
		`\Process(x)\ID Process`:    func(i int) float64 { return float64(100 + i/20) },
	})
	all := rules(t, `\Process(*)\Private Bytes>104857600`, `\Process(*)\ID Process<1`)
	all[0].Grows = 0.5
	if events, _, _ := backtested(t, all, time.Minute, file); len(events) > 0 {
		t.Errorf("ten processes of a name fired:\n%s", logOf(events))
	}
}

// A pack's rule asks for as long a time in recordings that are coarser than its samples, for two of
// them at least; others ask for as many as they say.
func TestTimeOfCoarseRecordings(t *testing.T) {
	for name, c := range map[string]struct {
		every  time.Duration
		beyond int // samples
		origin string
		fires  bool
	}{
		"seconds":        {time.Second, 60, alert.PackOrigin + "x", false},
		"as asked":       {15 * time.Second, 7, alert.PackOrigin + "x", false},
		"long enough":    {15 * time.Second, 8, alert.PackOrigin + "x", true},
		"a minute":       {time.Minute, 2, alert.PackOrigin + "x", true},
		"one":            {time.Minute, 1, alert.PackOrigin + "x", false},
		"five minutes":   {5 * time.Minute, 2, alert.PackOrigin + "x", true},
		"of the user":    {5 * time.Minute, 7, "", false},
		"of the user, 8": {5 * time.Minute, 8, "", true},
	} {
		all := rules(t, `\Memory\Pages/sec>1000`, `\System\Processor Queue Length>1000`)
		all[1].Origin, all[1].Need, all[1].Of = c.origin, 8, 8
		all[0].Origin, all[0].Need, all[0].Of = c.origin, 8, 8
		value := func(i int) float64 {
			if i >= 100 && i < 100+c.beyond {
				return 2000
			}
			return 0
		}
		events, _, _ := backtested(t, all, 15*time.Second, recorded(t, 300, c.every, map[string]func(int) float64{`\Memory\Pages/sec`: value, `\System\Processor Queue Length`: value}))
		fired := map[string]bool{}
		for _, e := range events {
			fired[e.ID.Rule] = true
		}
		if fired["r1"] != c.fires || fired["r2"] != (c.fires && c.beyond > 2) {
			t.Errorf("%s:\n%s", name, logOf(events))
		}
	}
}

// What is low of memory is in proportion to what there is, where that is known.
func TestMemoryInProportion(t *testing.T) {
	const gb = 1024.0
	for name, c := range map[string]struct {
		available, physical float64 // MB; 0: not known
		counter             string
		fires               bool
	}{
		"small and well":   {100, gb, `\Memory\Physical MBytes`, false},
		"small and low":    {20, gb, `\Memory\Physical MBytes`, true},
		"large and well":   {30 * gb, 256 * gb, `\Memory\Physical MBytes`, false},
		"large and low":    {4 * gb, 256 * gb, `\Memory\Physical MBytes`, true},
		"a node of memory": {4 * gb, 256 * gb, `\NUMA Node Memory(_Total)\Total MBytes`, true},
		"not known, low":   {400, 0, "", true},
		"not known, well":  {4 * gb, 0, "", false},
	} {
		columns := map[string]func(int) float64{`\Memory\Available MBytes`: func(int) float64 { return c.available }}
		if c.physical > 0 {
			columns[c.counter] = func(int) float64 { return c.physical }
		}
		all := rules(t, `\Memory\Available MBytes<512`)
		all[0].Origin, all[0].Need, all[0].Of = alert.PackOrigin+"memory", 4, 4
		events, _, _ := backtested(t, all, 15*time.Second, recorded(t, 40, 15*time.Second, columns))
		if (len(events) > 0) != c.fires {
			t.Errorf("%s: fires %v:\n%s", name, len(events) > 0, logOf(events))
		}
	}
}
