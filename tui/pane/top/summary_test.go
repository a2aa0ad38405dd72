package top

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// line is the line of the screen that has all of some texts.
func (r *rig) line(texts ...string) string {
	r.Helper()
	r.draw()
	for _, row := range r.canvas.Rows() {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(row, text)
		}
		if all {
			return row
		}
	}
	r.Errorf("no line with %q in\n%s", texts, r.canvas.String())
	return ""
}

// Above its processes a host shows what it has of processors, memory and load, and
// nothing of what it does not count.
func TestSummaryOfHost(t *testing.T) {
	script := workers(6, 0, 0)
	cpu := fake.Set{Name: "Processor Information", Instances: session.MultipleAggregate, Counters: []fake.Counter{
		{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(20)},
	}, Rows: []fake.Row{{Name: "0,0"}, {Name: "0,1"}, {Name: "_Total", Flags: session.FlagTotal}}}
	memory := fake.Set{Name: "Memory", Counters: []fake.Counter{
		{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(10 << 30)},
		{Name: "Physical Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(40 << 30)},
	}, Rows: []fake.Row{{}}}
	system := fake.Set{Name: "System", Counters: []fake.Counter{
		{Name: "Processes", Type: cooker.CounterRawCount, Is: fake.Const(6)},
		{Name: "Load Average 1 Minutes x100", Type: cooker.CounterRawCount, Is: fake.Const(1240)},
		{Name: "Load Average 5 Minutes x100", Type: cooker.CounterRawCount, Is: fake.Const(912)},
	}, Rows: []fake.Row{{}}}
	script.Sets = append(script.Sets, cpu, memory, system)
	onTop(t, script, func(r *rig) {
		for _, want := range []string{"cpu ■■■■······ 40.0 % of 2", "mem ■■■■■■■■·· 30.0 of 40.0 GB", "load 12.4 9.12", "tasks 6"} {
			r.line(want)
		}
		if row := r.line("tasks"); strings.Contains(row, "queued") {
			r.Errorf("a queue that is not counted: %q", row)
		}
	})
	onTop(t, workers(6, 0, 0), func(r *rig) {
		if heads := r.heads(); !strings.Contains(heads, "% CPU") {
			r.Errorf("without such counters the heads stand below the title: %q", heads)
		}
	})
}

// What the table leaves out of the tasks that the summary counts is said, with the key that
// lists it; one more, as Idle, is not worth a word.
func TestSummaryTellsHiddenTasks(t *testing.T) {
	for _, c := range []struct {
		tasks float64
		want  string
	}{{102, "tasks 102 (96 hidden, K)"}, {7, ""}} {
		script := workers(6, 0, 0)
		script.Sets = append(script.Sets, fake.Set{Name: "System", Counters: []fake.Counter{
			{Name: "Processes", Type: cooker.CounterRawCount, Is: fake.Const(c.tasks)},
		}, Rows: []fake.Row{{}}})
		onTop(t, script, func(r *rig) {
			if row := r.line("tasks"); !strings.Contains(row, c.want) || c.want == "" && strings.Contains(row, "hidden") {
				t.Errorf("%q, want %q", row, c.want)
			}
			r.top.toggleAll()
			r.pass(2)
			if row := r.line("tasks"); strings.Contains(row, "hidden") {
				t.Errorf("all are listed: %q", row)
			}
		})
	}
}

// adapters is a host with three network adapters; total says that it has their sum.
func adapters(total bool) fake.Script {
	set := fake.Set{Name: "Network Interface", Instances: session.MultipleAggregate, Counters: []fake.Counter{
		{Name: "Bytes Received/sec", Type: cooker.CounterBulkCount, Is: fake.Const(2 << 20)},
		{Name: "Bytes Sent/sec", Type: cooker.CounterBulkCount, Is: fake.Const(1 << 20)},
		{Name: "Packets Received Errors", Type: cooker.CounterRawCount, Is: fake.Const(4)},
	}, Rows: []fake.Row{{Name: "eth0"}, {Name: "eth1"}, {Name: "lo", Flags: session.FlagBackground}}}
	if total {
		set.Rows = append(set.Rows, fake.Row{Name: "_Total", Flags: session.FlagTotal})
	}
	script := workers(3, 0, 0)
	script.Sets = append(script.Sets, set)
	return script
}

func (r *rig) show(set string) {
	r.Helper()
	r.top.Show(r.host, r.host.Sampler.Catalogue().Set(set), session.InstanceKey{}, -1)
	r.ask()
	r.pass(3)
}

// What instances are together is their _Total, or the sum of those that the filter lets
// through, without what counts again what others do.
func TestSummaryOfInstances(t *testing.T) {
	onTop(t, adapters(false), func(r *rig) {
		r.show("Network Interface")
		for _, want := range []string{"received 4.00 MB/s", "sent 2.00 MB/s", "errors 8", "sum of 2, lo not counted"} {
			r.line(want)
		}
		_ = r.top.filter.Set("eth1")
		r.line("received 2.00 MB/s", "errors 4", "sum of 1")
		_ = r.top.filter.Set("lo") // which counts again what others do, but there are none
		r.line("received 2.00 MB/s", "errors 4", "sum of 1")
	})
	onTop(t, adapters(true), func(r *rig) {
		r.show("Network Interface")
		r.line("received 6.00 MB/s", "errors 12", "_Total")
		_ = r.top.filter.Set("eth0")
		r.line("received 2.00 MB/s", "sum of 1")
	})
}

// A control group has what those within it have: they are not added to it.
func TestSummaryOfNestedInstances(t *testing.T) {
	script := workers(3, 0, 0)
	script.Sets = append(script.Sets, fake.Set{Name: "Control Group", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "Memory Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(2 << 20)},
	}, Rows: []fake.Row{{Name: "/"}, {Name: "system.slice"}, {Name: "system.slice_ssh.service"}, {Name: "user.slice"}}})
	onTop(t, script, func(r *rig) {
		r.show("Control Group")
		r.line("Memory Bytes 2.00 MB", "within no other")
		_ = r.top.filter.Set("slice")
		r.line("Memory Bytes 4.00 MB", "within no other")
		_ = r.top.filter.Set("system.slice_")
		r.line("Memory Bytes 2.00 MB", "sum of 1")
	})
}

// The title says which rows are in view also where all are, and of what a percentage is.
func TestTitleTellsWhatIsInView(t *testing.T) {
	onTop(t, adapters(false), func(r *rig) {
		r.line("Process", "% of one cpu", " 1-3 of 3 ")
		r.show("Network Interface")
		if row := r.line("Network Interface", " 1-3 of 3 "); strings.Contains(row, "of one cpu") {
			r.Errorf("bytes are no percentage: %q", row)
		}
	})
	onTop(t, workers(60, 0, 0), func(r *rig) { r.line("Process", " 1-28 of 60 ") })
}

// Rows of those that ended are none of the tasks: they change nothing of how many are hidden.
func TestEndedAreNotHidden(t *testing.T) {
	script := workers(6, 0, 0)
	for i := range 3 {
		script.Sets[0].Rows[i].Alive = fake.Window{To: 9500 * time.Millisecond}
	}
	script.Sets = append(script.Sets, fake.Set{Name: "System", Counters: []fake.Counter{
		{Name: "Processes", Type: cooker.CounterRawCount, Is: fake.Const(103)},
	}, Rows: []fake.Row{{}}})
	onTop(t, script, func(r *rig) {
		seen := false
		for range 14 {
			r.pass(1)
			left := 100 // of 103, three that live on
			if strings.Contains(r.canvas.String(), "gone") {
				seen = true
			} else if strings.Contains(r.canvas.String(), "worker-0") {
				left = 97
			}
			if row, want := r.line("tasks"), fmt.Sprintf("(%d hidden", left); !strings.Contains(row, want) {
				t.Errorf("%q, want %q\n%s", row, want, r.canvas)
			}
		}
		if !seen {
			t.Error("no row of one that ended was seen")
		}
	})
}
