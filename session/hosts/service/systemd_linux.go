package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/text/printable"
)

// Systemd asks the systemd of this computer, by the system bus at its fixed address: what the
// environment says of buses may be anybody's. Root is that of /run.
type Systemd struct{ Root string }

const (
	busSocket = "dbus/system_bus_socket"
	booted    = "systemd/system" // sd_booted(3)
	units     = "systemd/units"  // of each that runs, under which number
)

// Absent says why this computer's services cannot be told; empty: they can. Nothing is opened.
func (s Systemd) Absent() string {
	if info, err := os.Lstat(filepath.Join(s.Root, booted)); err != nil || !info.IsDir() {
		return "no service manager: systemd does not run here"
	}
	if _, err := os.Stat(filepath.Join(s.Root, busSocket)); err != nil {
		return "systemd runs here, but there is no system bus to ask it"
	}
	return ""
}

// Dial connects to the bus.
func (s Systemd) Dial(ctx context.Context) (Manager, error) {
	if why := s.Absent(); why != "" {
		return nil, errors.New(why)
	}
	b, err := dialBus(ctx, filepath.Join(s.Root, busSocket))
	if err != nil {
		return nil, err
	}
	return &manager{bus: b, root: s.Root, objects: map[string]string{}}, nil
}

// manager is systemd (org.freedesktop.systemd1(5)).
type manager struct {
	*bus

	root    string
	objects map[string]string // by stamp, which begins with the unit
}

const systemd = "org.freedesktop.systemd1"

// List implements Manager.
func (m *manager) List(ctx context.Context) ([]Service, error) {
	answer, err := m.call(question{to: systemd, path: "/org/freedesktop/systemd1", of: systemd + ".Manager", member: "ListUnitsByPatterns", args: []any{[]string{}, []string{"*" + unitSuffix}}})
	if err != nil {
		return nil, m.why(ctx, err)
	}
	listed, err := unitsOf(answer)
	if err != nil {
		return nil, err
	}
	out := make([]Service, 0, len(listed))
	for i := range listed {
		u := &listed[i]
		if u.load == "not-found" { // others name it: it is not here
			continue
		}
		s := u.service()
		s.Stamp = strings.Join([]string{u.name, u.load, u.active, u.sub, m.invocation(u.name)}, "\x00")
		m.objects[s.Stamp] = u.path
		out = append(out, s)
	}
	return out, nil
}

// invocation is the number of a run of a unit, which another run has not; empty: it does not run.
func (m *manager) invocation(unit string) string {
	if strings.ContainsRune(unit, '/') {
		return ""
	}
	id, _ := os.Readlink(filepath.Join(m.root, units, "invocation:"+unit))
	return id
}

// unit is an entry of the list.
type unit struct {
	name, description, load, active, sub, path string
}

// unitsOf reads the answer to ListUnitsByPatterns.
func unitsOf(m *message) ([]unit, error) {
	if m.signature != "a(ssssssouso)" {
		return nil, fmt.Errorf("%w: a list of units is %q", errBus, m.signature)
	}
	c := m.content()
	if n := c.uint32(); uint64(n) > uint64(len(c.data)) {
		return nil, errBus
	}
	var out []unit
	for c.more() && len(out) <= mostServices {
		const align = 8
		c.align(align)
		var u unit
		var other string // what it follows
		for _, to := range []*string{&u.name, &u.description, &u.load, &u.active, &u.sub, &other, &u.path} {
			*to = c.text()
		}
		c.uint32() // its job, what that does, and its path
		c.text()
		c.text()
		out = append(out, u)
	}
	if c.isBad {
		return nil, errBus
	}
	return out, nil
}

// service is what the list tells of a unit.
func (u *unit) service() Service {
	name, _ := UnitName(u.name)
	s := Service{Name: name, Description: u.description, Failed: u.active == "failed", Details: Unasked()}
	switch u.active {
	case "active":
		s.State = Running
	case "activating":
		s.State = Starting
	case "deactivating":
		s.State = Stopping
	case "reloading", "refreshing":
		s.State = Resuming
	case "inactive", "failed":
		s.State = Stopped
	}
	return s
}

// properties are those of a unit that are asked for, each by itself: all of them are hundreds.
var properties = []struct{ of, name string }{
	{".Service", "MainPID"}, {".Service", "NRestarts"}, {".Service", "ExecMainStatus"}, {".Service", "Result"},
	{".Unit", "ActiveEnterTimestamp"}, {".Unit", "UnitFileState"}, {".Service", "ExecMainCode"},
}

// Detail implements Manager.
func (m *manager) Detail(ctx context.Context, s *Service) error {
	var list []question
	for _, p := range properties {
		list = append(list, question{to: systemd, path: m.objects[s.Stamp], of: "org.freedesktop.DBus.Properties", member: "Get", args: []any{systemd + p.of, p.name}})
	}
	answers, err := m.ask(list)
	if err != nil {
		return m.why(ctx, err)
	}
	s.Details = detailsOf(answers, s.State)
	return nil
}

// detailsOf are the details of a unit: what is refused, gone or of another type is none.
func detailsOf(answers []*message, state State) Details {
	d := without(cooker.Unavailable)
	value := func(i int) any {
		if m := answers[i]; !m.isError && m.signature == "v" {
			return m.content().variant()
		}
		return nil
	}
	runs := state == Running || state == Resuming || state == Stopping
	if n, ok := value(0).(uint32); ok && n > 0 {
		d.Process = Number(uint64(n))
	}
	if n, ok := value(1).(uint32); ok {
		d.Restarts = Number(uint64(n))
	}
	text := func(i int) string {
		said, _ := value(i).(string)
		return printable.Shorten(printable.Text(said), mostName)
	}
	d.Result, d.Setting = text(3), text(5)
	if status, ok := value(2).(int32); ok {
		const exited, bySignal = 1, 128 // as shells count
		switch how, _ := value(6).(int32); {
		case how == exited || status == 0:
			d.ExitCode = Number(uint64(uint32(status)))
		case d.Result == "success": // it was told to stop
			d.ExitCode = Number(0)
		default:
			d.ExitCode = Number(bySignal + uint64(uint32(status)))
		}
	}
	if micro, ok := value(4).(uint64); ok && runs && micro > 0 && micro < 1<<60 {
		d.Began = Number(micro*10 + cooker.Unix100ns)
	}
	switch {
	case d.Setting == "":
	case strings.HasPrefix(d.Setting, "enabled"):
		d.Start = Number(Automatic)
	case strings.HasPrefix(d.Setting, "masked"):
		d.Start = Number(Disabled)
	default:
		d.Start = Number(Manual)
	}
	return d
}
