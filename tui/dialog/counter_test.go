package dialog

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/lineedit"
)

// shelf is a catalogue with one counter for each name.
func shelf(sets, counters []string, description string) *session.Catalogue {
	cat := &session.Catalogue{}
	for i, name := range sets {
		set := &session.Counterset{Name: name, V1Index: uint32(i + 1), Instances: session.MultipleInstances}
		for j, c := range counters {
			set.Counters = append(set.Counters, session.Counter{ID: uint32(j), Name: c, Description: description, Type: cooker.CounterRawCount})
		}
		cat.Sets = append(cat.Sets, set)
	}
	return cat
}

type hinted struct{}

func (hinted) Error() string { return "no such counter" }
func (hinted) Hint() string  { return "Did you mean another?" }

func TestAddCounter(t *testing.T) {
	cat := shelf([]string{"Memory", "PhysicalDisk"}, []string{"Disk Transfers/sec", "Avg. Disk sec/Transfer", "Reads"}, "How quick it is.")
	cat.Sets[0].Instances = session.SingleInstance
	cat.Sets[0].Counters = append(cat.Sets[0].Counters, session.Counter{Name: "Gone", Type: cooker.CounterRawCount, Absent: "not here"})
	for _, c := range []struct {
		keys []string
		text string
		want string
	}{
		{nil, "disk sec tr physical", `\PhysicalDisk(*)\Avg. Disk sec/Transfer`},
		{nil, "mem reads", `\Memory\Reads`},
		{[]string{"down", "down"}, "reads", `\PhysicalDisk(*)\Reads`},
		{nil, "quick physicaldisk adst", `\PhysicalDisk(*)\Avg. Disk sec/Transfer`},
		{nil, `\PhysicalDisk(1 D:)\Reads`, `\PhysicalDisk(1 D:)\Reads`},
		{[]string{"tab"}, "physical reads", `\PhysicalDisk(*)\Reads`},
	} {
		var added []string
		d := NewCounter(out, cat, nil, func(path string) error { added = append(added, path); return nil })
		r := newRig(t, d, 80, 24, canvas.Full)
		r.paste(c.text)
		r.press(c.keys...)
		r.press("enter")
		if !slices.Equal(added, []string{c.want}) || !r.closed {
			t.Errorf("%q adds %q, want %q", c.text, added, c.want)
		}
	}
}

// A path that is being typed finds the counters that it names so far.
func TestCounterByHalfAPath(t *testing.T) {
	d := NewCounter(out, shelf([]string{"Memory", "PhysicalDisk"}, []string{"Reads", "Writes"}, ""), nil, nil)
	for text, want := range map[string]int{
		`\`: 4, `\Phys`: 2, `\PhysicalDisk(0 C:`: 2, `\PhysicalDisk(0 (x) C:)\Wri`: 1, `\Memory\`: 2, `\Memory\Reads`: 1, `\x\y`: 0,
	} {
		d.field = lineedit.New(text)
		d.changed()
		if d.result.Found != want {
			t.Errorf("%s finds %d, want %d", text, d.result.Found, want)
		}
	}
}

func TestCounterSaysWhatIsWrong(t *testing.T) {
	d := NewCounter(out, shelf([]string{"Memory"}, []string{"Reads"}, ""), nil, func(string) error { return hinted{} })
	r := newRig(t, d, 80, 24, canvas.Full)
	r.press("enter")
	if !strings.Contains(r.Canvas.String(), "Did you mean another? no such counter") || r.closed {
		t.Errorf("no error:\n%s", r.Canvas)
	}
	r.paste("zzz")
	if strings.Contains(r.Canvas.String(), "Did you mean") {
		t.Error("the error stays while something else is typed")
	}
	r.press("enter", "tab")
	if !strings.Contains(r.Canvas.String(), nothingFound) || r.closed {
		t.Errorf("nothing is said:\n%s", r.Canvas)
	}
}

func TestCounterSweep(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var hostile []string
	for range 12 {
		hostile = append(hostile, hostileText(random))
	}
	for _, cat := range []*session.Catalogue{
		{}, shelf([]string{"Memory"}, []string{"Reads"}, "What is read."), shelf(hostile, hostile, hostileText(random)),
	} {
		refuse := errors.New(hostileText(random))
		sweep(t, NewCounter(out, cat, nil, func(string) error { return refuse }), random)
	}
}
