package pane_test

import (
	"testing"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// An event is told of the row that it names, and of no other one.
func TestWhomAnEventConcerns(t *testing.T) {
	process := func(number uint64) session.Instance {
		return session.Instance{Key: session.InstanceKey{Name: "java"}, Number: number}
	}
	named := func(name string) session.Instance { return session.Instance{Key: session.InstanceKey{Name: name}} }
	for _, c := range []struct {
		set  string
		in   session.Instance
		runs []string
		e    session.HostEvent
		want bool
	}{
		{"Process", process(77), nil, session.HostEvent{PID: 77}, true},
		{"Process", process(78), nil, session.HostEvent{PID: 77, Names: []string{"java"}}, false},
		{"Process", process(78), []string{"shop"}, session.HostEvent{PID: 77, Unit: "shop"}, true},
		{"Process", process(78), []string{""}, session.HostEvent{PID: 77}, false},
		{"Process", process(0), nil, session.HostEvent{}, false},
		{"Service", named("shop"), nil, session.HostEvent{Unit: "shop"}, true},
		{"Service", named("shop"), nil, session.HostEvent{Unit: "shopper"}, false},
		{"PhysicalDisk", named("sda"), nil, session.HostEvent{Known: "disk-reset", Names: []string{"sda"}}, true},
		{"LogicalDisk", named("sda1"), nil, session.HostEvent{Known: "disk-reset", Names: []string{"sda"}}, true},
		{"PhysicalDisk", named("sdab"), nil, session.HostEvent{Known: "disk-reset", Names: []string{"sda"}}, false},
		{"PhysicalDisk", named("1 D:"), nil, session.HostEvent{Known: "disk-retried", Names: []string{"1"}}, true},
		{"PhysicalDisk", named("10 E:"), nil, session.HostEvent{Known: "disk-retried", Names: []string{"1"}}, false},
		{"PhysicalDisk", named("1 D:"), nil, session.HostEvent{Known: "disk-retried", Names: []string{`\Device\Harddisk1\DR1`}}, true},
		{"PhysicalDisk", named("nvme0n1"), nil, session.HostEvent{Known: "disk-reset", Names: []string{"nvme0"}}, true},
		{"PhysicalDisk", named("1 D:"), nil, session.HostEvent{Known: "lockup", Names: []string{"1"}}, false},
		{"PhysicalDisk", named("x"), nil, session.HostEvent{Known: "disk-reset", Names: []string{""}}, false},
		{"Processor", named("1"), nil, session.HostEvent{Known: "lockup", Names: []string{"1"}}, true},
		{"Network Interface", named("eth0"), nil, session.HostEvent{Known: "link-down", Names: []string{"eth0"}}, true},
		{"Memory", named("eth0"), nil, session.HostEvent{Names: []string{"eth0"}}, false},
	} {
		if got := pane.Concerns(&c.e, &session.Counterset{Name: c.set}, &c.in, c.runs); got != c.want {
			t.Errorf("%s %q %d, %+v: %v", c.set, c.in.Key.Name, c.in.Number, c.e, got)
		}
	}
}
