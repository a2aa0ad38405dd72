package chart

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// Screens as they are, with values that come out the same on every run.
func TestGolden(t *testing.T) {
	for _, g := range []struct {
		name   string
		w, h   int
		glyphs canvas.GlyphSet
		keys   []string
	}{
		{"line-120x34", 120, 34, canvas.Full, []string{"h", "h", "h", "h", "h", "h"}},
		{"line-60x13", 60, 13, canvas.Full, nil},
		{"line-40x10", 40, 10, canvas.Full, nil},
		{"line-80x22-ascii", 80, 22, canvas.ASCII, nil},
		{"area-80x22-ascii", 80, 22, canvas.ASCII, []string{"v"}},
		{"stacked-80x22-console", 80, 22, canvas.Console, []string{"v", "v"}},
		{"lanes-120x34", 120, 34, canvas.Full, []string{"v", "v", "v", "h", "h", "h", "h", "h", "h"}},
		{"lanes-60x13", 60, 13, canvas.Full, []string{"v", "v", "v", "j"}},
		{"lanes-200x58", 200, 58, canvas.Full, []string{"v", "v", "v"}},
		{"lanes-80x22-ascii", 80, 22, canvas.ASCII, []string{"v", "v", "v", "h"}},
		{"bar-80x22", 80, 22, canvas.Full, []string{"v", "v", "v", "v"}},
		{"report-80x22", 80, 22, canvas.Full, []string{"v", "v", "v", "v", "v"}},
	} {
		t.Run(g.name, func(t *testing.T) {
			onChart(t, one(goldenScript()), func(r *rig) {
				r.Canvas.SetGlyphs(g.glyphs)
				r.size(g.w, g.h)
				r.add(r.Desk.Hosts[0], `\Processor Information(_Total)\% Processor Time`, `\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`,
					`\SQLServer:Buffer Manager\Page life expectancy`, `\SQLServer:SQL Statistics\Batch Requests/sec`)
				r.pass(330 * time.Second)
				r.Draw()
				r.press("g")
				r.press(g.keys...)
				r.Golden(filepath.Join("testdata", g.name+".txt"), *update)
			})
		})
	}
}

// goldenScript is the host of the mock-up.
func goldenScript() fake.Script {
	return fake.Script{Name: "sql01", Sets: []fake.Set{
		{Name: "Processor Information", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "_Total"}},
			Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns,
				Is: fake.Burst(fake.Walk(30, 60, 20*time.Second), fake.Walk(80, 99, 10*time.Second), fake.Window{From: 280 * time.Second})}}},
		{Name: "PhysicalDisk", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "0 C:"}, {Name: "1 D:"}},
			Counters: []fake.Counter{{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Scale: 3, Is: fake.Walk(0.003, 0.06, 40*time.Second)}}},
		{Name: "SQLServer:Buffer Manager", Counters: []fake.Counter{
			{Name: "Page life expectancy", Type: cooker.CounterRawCount, Is: fake.Walk(200, 8000, 60*time.Second)}}},
		{Name: "SQLServer:SQL Statistics", Counters: []fake.Counter{
			{Name: "Batch Requests/sec", Type: cooker.CounterCounter, Is: fake.Walk(1288, 3320, 50*time.Second)}}},
	}}
}
