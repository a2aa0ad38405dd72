package top

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

// rig is the table of one host on a clock that the test moves.
type rig struct {
	*testing.T

	clock  *clocktest.Clock
	desk   *pane.Desk
	host   *pane.Host
	top    *Top
	canvas *canvas.Canvas
	hits   pane.Hits
	asked  int // how often it had to be asked again
}

// onTop runs a test on the processes of a host.
func onTop(t *testing.T, script fake.Script, test func(r *rig)) {
	t.Helper()
	onHost(t, script.Name, func(c *clocktest.Clock) session.Source { return fake.New(script, c) }, test)
}

func onHost(t *testing.T, name string, source func(*clocktest.Clock) session.Source, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clock := clocktest.New(time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC), synctest.Wait)
		s := session.NewSampler(name, source(clock), clock)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); s.Run(ctx) }()
		clock.Advance(0)
		r := &rig{T: t, clock: clock, canvas: canvas.New(120, 30, canvas.Full)}
		r.host = &pane.Host{Name: name, Sampler: s, Feed: s.Feed(session.FeedOptions{Every: time.Second, History: time.Minute})}
		r.desk = &pane.Desk{Hosts: []*pane.Host{r.host}, Now: func() time.Time { return clock.Now().Wall }, Kept: new(session.Saved)}
		r.top = New(r.desk)
		r.top.ShowProcesses(r.host)
		r.ask()
		r.pass(3)
		test(r)
		cancel()
		<-ended
	})
}

func (r *rig) ask() { r.host.Feed.Ask(r.top.Asks(r.host)) }

// askAgain asks if the table says that it has to.
func (r *rig) askAgain() {
	if r.top.AskStale() {
		r.asked++
		r.ask()
	}
}

// pass lets n seconds pass on the screen.
func (r *rig) pass(n int) {
	for range n {
		r.sample()
		r.top.Snapshot(r.host)
		r.draw()
		r.askAgain()
	}
}

// sample lets a second pass while another screen is in front.
func (r *rig) sample() {
	r.clock.Advance(time.Second)
	if snap := r.host.Feed.Take(); snap != nil {
		r.host.Snap.Release()
		r.host.Snap = snap
	}
}

func (r *rig) draw() {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.top.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
}

// process is the process that a key would act on.
func (r *rig) process() (key session.InstanceKey, ok bool) {
	if list, _ := r.top.Processes(); len(list) == 1 {
		return list[0].Key, true
	}
	return key, false
}

func (r *rig) processText() string {
	list, _ := r.top.Processes()
	return list[0].Text
}

// workers is a host whose n processes are busier the later they stand, and after
// turn the other way around. All but the first three end after a time; 0: never.
func workers(n int, end, turn time.Duration) fake.Script {
	set := fake.Set{
		Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user"},
		Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(3)},
			{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Const(7)},
		},
	}
	for i := range n {
		row := fake.Row{Name: fmt.Sprintf("worker-%d", i), Number: uint64(i + 1), Facts: []string{"ana"}, Is: map[string]fake.Motion{
			"% Processor Time": func(at time.Duration, _ uint64) float64 {
				if turn > 0 && at > turn {
					return float64(n - i)
				}
				return float64(i)
			},
		}}
		if i > 2 && end > 0 {
			row.Alive = fake.Window{To: end}
		}
		set.Rows = append(set.Rows, row)
	}
	return fake.Script{Name: "one", Sets: []fake.Set{set}}
}

// While another screen is in front rows come and go; the table is asked all the
// same what it wants to know, what is selected, and draws when it comes back.
func TestBehindAnotherScreen(t *testing.T) {
	onTop(t, workers(60, 8*time.Second, 0), func(r *rig) {
		r.top.pick(30)
		for range 30 {
			r.sample()
			r.top.Asks(r.host)
			r.top.Selected()
			r.process()
		}
		r.draw()
		if text := r.canvas.String(); !strings.Contains(text, "3 instances") {
			r.Errorf("rows that ended are there:\n%s", text)
		}
	})
}

// A dialog may be about the selected row: it stays selected below it wherever it
// goes.
func TestHeldSelection(t *testing.T) {
	onTop(t, workers(9, 0, 6*time.Second), func(r *rig) {
		r.top.selectRow(0)
		key, ok := r.process()
		if !ok || key.Name != "worker-8" {
			r.Fatalf("%v is selected", key)
		}
		r.desk.Held = true
		r.pass(12)
		if now, _ := r.process(); now != key {
			r.Errorf("%v is selected below the dialog, was %v", now, key)
		}
		if r.top.list.Line() == 0 {
			r.Error("the rows were not sorted anew")
		}
		r.desk.Held = false
		line := r.top.list.Line()
		r.pass(3)
		if r.top.list.Line() != line {
			r.Errorf("line %d is selected, was %d", r.top.list.Line(), line)
		}
	})
}

// A host that started anew has another catalogue: the table follows it, with
// sort, columns and filter as they were.
func TestRenewedCatalogue(t *testing.T) {
	onTop(t, workers(9, 0, 0), func(r *rig) {
		old := r.top.Set()
		r.top.cursor = len(r.top.table.Columns) - 1
		r.top.sortByCursor()
		_ = r.top.filter.Set("worker-4")
		sorted := r.top.table.Columns[r.top.table.Sort].Name(old)
		dialog := newChooser(r.top)
		counters := []session.Counter{{Name: "New"}}
		fresh := &session.Counterset{
			Name: old.Name, Instances: old.Instances, Facts: old.Facts, Counters: append(counters, old.Counters...),
		}
		r.host.Sampler.(*session.Sampler).Renew(&session.Catalogue{Host: "one", Sets: []*session.Counterset{fresh}})
		r.top.Snapshot(r.host)
		if r.top.Set() != fresh {
			r.Fatal("the table shows the set of the old catalogue")
		}
		if now := r.top.table.Columns[r.top.table.Sort].Name(fresh); now != sorted {
			r.Errorf("sorted by %s, was %s", now, sorted)
		}
		if r.top.filter.Text() != "worker-4" {
			r.Errorf("the filter is %q", r.top.filter.Text())
		}
		for _, k := range []tea.Key{{Code: tea.KeyEnd}, {Code: tea.KeyEscape}} { // the columns are not those it knows
			dialog.Key(tea.KeyPressMsg(k))
		}
		if name := r.top.table.Columns[len(r.top.table.Columns)-1].Name(fresh); name == "" {
			r.Error("the columns are those of before")
		}
		r.draw()
	})
}

// Numbers are written as the desk has them where the host says nothing, and anew
// when that changes.
func TestNumbersOfTheDesk(t *testing.T) {
	onTop(t, workers(3, 0, 0), func(r *rig) {
		digits := 3
		r.desk.Numbers = &pane.Numbers{Grouping: ",", Looks: func(_ *session.Counterset, c *session.Counter) session.Look {
			look := c.Look()
			look.Digits = digits
			return look
		}}
		r.top.Recall()
		r.draw()
		if text := r.canvas.String(); !strings.Contains(text, "2.000") {
			r.Errorf("the numbers are\n%s", text)
		}
		digits = 4
		r.top.Recall()
		r.draw()
		if text := r.canvas.String(); !strings.Contains(text, "2.0000") {
			r.Errorf("the numbers are\n%s", text)
		}
	})
}

// The edge of a column goes with the mouse, however far that is.
func TestDragEdge(t *testing.T) {
	onTop(t, workers(3, 0, 0), func(r *rig) {
		for _, x := range []int{-500, 0, 7, 5000} {
			r.top.Drag(pane.Hit{Kind: hitEdge, A: 0, B: 3}, x, 9, x == 5000)
			r.draw()
			if w := r.top.table.Columns[0].Width; w < 3 || w > table.MaxWidth {
				r.Errorf("dragged to %d the column is %d wide", x, w)
			}
		}
		if r.desk.Kept.Table("Process") == nil {
			r.Error("the width is not kept")
		}
	})
}

// The table asks anew when rows or columns come into view that it did not ask
// for, not because there is a new sample.
func TestAsksWhenNeeded(t *testing.T) {
	onTop(t, workers(60, 0, 10*time.Second), func(r *rig) {
		r.asked = 0
		r.pass(6)
		if r.asked != 0 {
			r.Errorf("asked %d times while the same rows are in view", r.asked)
		}
		r.pass(10) // the order turns around
		if r.asked != 1 {
			r.Errorf("asked %d times when other rows came into view", r.asked)
		}
		for what, do := range map[string]func(){
			"a filter":       func() { _ = r.top.filter.Set("user~x") },
			"another column": func() { r.top.cursor = len(r.top.table.Columns) - 1; r.top.sortByCursor() },
			"the last rows":  func() { r.top.move(list.Last) },
			"a column less":  func() { newChooser(r.top).toggle(2) },
		} {
			do()
			r.draw()
			if !r.top.AskStale() {
				r.Errorf("%s: what the table wants did not change", what)
			}
			r.ask()
			_ = r.top.filter.Set("")
			r.top.move(list.First)
			r.draw()
			r.ask()
		}
	})
}

// A row that the user chose stays selected while it moves, until half a minute
// passed without a key, or the first line was asked for.
func TestChosenRowStays(t *testing.T) {
	onTop(t, workers(9, 0, 6*time.Second), func(r *rig) {
		r.top.move(list.Down)
		key, _ := r.process()
		r.pass(12) // the order turns around
		if now, _ := r.process(); now != key {
			r.Errorf("%v is selected, was %v", now, key)
		}
		if line := r.top.list.Line(); line != 7 {
			r.Errorf("line %d is selected", line)
		}
		if text := r.canvas.String(); !strings.Contains(text, "staying on worker-7") {
			r.Errorf("that the selection stays is not told:\n%s", text)
		}
		r.top.move(list.First)
		if now, _ := r.process(); now.Name != "worker-0" {
			r.Errorf("%v is the first", now)
		}
		r.pass(1)
		if strings.Contains(r.canvas.String(), "staying on") {
			r.Error("the first line stays on its instance")
		}
	})
	onTop(t, workers(9, 0, 40*time.Second), func(r *rig) {
		r.top.pick(2)
		r.pass(60)
		if r.top.list.Line() != 2 {
			r.Errorf("line %d is selected long after the last key", r.top.list.Line())
		}
	})
	onTop(t, workers(9, 8*time.Second, 0), func(r *rig) {
		r.top.pick(2)
		r.pass(12) // it ended, as those above it, which left
		if got := strings.Join(r.names(), " "); got != "worker-6 worker-2 worker-1 worker-0" || r.top.list.Line() != 0 {
			r.Errorf("the rows are %s, line %d is selected", got, r.top.list.Line())
		}
		r.pass(13)
		if text := r.canvas.String(); strings.Contains(text, "staying on") || strings.Contains(text, "worker-6") || r.top.list.Line() != 0 {
			r.Errorf("line %d is selected:\n%s", r.top.list.Line(), text)
		}
	})
}
