package platest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/wire/dcom"
)

// xmlOf is a set as a host writes it.
func xmlOf(name string) string {
	return `<?xml version="1.0" encoding="UTF-16"?>
<DataCollectorSet>
	<Status>0</Status>
	<Duration>0</Duration>
	<DisplayNameUnresolved>@%systemroot%\system32\wdc.dll,#10026</DisplayNameUnresolved>
	<Keyword>Disk</Keyword>
	<Keyword>Web</Keyword>
	<RootPath>%systemdrive%\PerfLogs\Admin\` + name + `</RootPath>
	<Security>O:BAG:S-1-5-21-1-2-3-513D:AI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FR;;;LU)</Security>
	<Name>` + name + `</Name>
	<PerformanceCounterDataCollector>
		<Name>DataCollector01</Name>
		<FileName>DataCollector01</FileName>
		<SampleInterval>15</SampleInterval>
		<LogFileFormat>3</LogFileFormat>
		<Counter>\Processor(_Total)\% Processor Time</Counter>
		<Counter>\Memory\Available Bytes</Counter>
	</PerformanceCounterDataCollector>
</DataCollectorSet>`
}

// filled is a host with n sets of users, and some of other categories.
func filled(t testing.TB, o Options, n int) *Host {
	t.Helper()
	h := Start(t, o)
	fill(h, n)
	return h
}

func fill(h *Host, n int) {
	for i := range n {
		name := fmt.Sprintf("Set%02d", i)
		h.Add(pla.Service, Set{Name: name, XML: xmlOf(name), Status: pla.Status(i % 3 % 2)})
	}
	h.Add(pla.System, Set{Name: "System Performance", XML: xmlOf("System Performance")})
	h.Add(pla.Session, Set{Name: "NT Kernel Logger", Status: pla.Running})
	h.Add(pla.Autosession, Set{Name: "EventLog-System", Status: pla.Undefined})
}

// settled checks that clients hold nothing.
func settled(t testing.TB, h *Host) {
	t.Helper()
	if held, excess := h.References(); held != 0 || excess != 0 {
		t.Errorf("%d references are held, %d were given back too much", held, excess)
	}
}

func service(name string) pla.Name { return pla.Name{Set: name} }

func code(err error) uint32 {
	if e, is := errors.AsType[*pla.Error](err); is {
		return e.Code
	}
	return 0
}

// Every verb does what it says, and leaves nothing behind, whether it could be done or not.
func TestVerbs(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"side by side": {}, "one at a time": {OneAtATime: true}, "late interfaces": {LateBinding: true}, "COM 5.6": {Version: dcom.Version{Major: 5, Minor: 6}},
		"uncounted references": {Lies: Lies{Reference: func(r *dcom.Reference) { r.Public = 0 }}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Findings = func(xml string) []pla.Problem {
				return []pla.Problem{{Key: "/PerformanceCounterDataCollector/LogCircular", Text: "It is left out.", Code: 0x00300100}, {Key: "Task", Text: "No.", Code: 0x80300101}}[:strings.Count(xml, "Task")*2]
			}
			checkVerbs(t, filled(t, o, 50))
		})
	}
}

func checkVerbs(t *testing.T, h *Host) {
	t.Helper()
	ctx := t.Context()
	c := h.Client(t)
	check := func(what string, err error, want uint32) {
		t.Helper()
		if code(err) != want || (err == nil) != (want == 0) {
			t.Errorf("%s: %v, want %#x", what, err, want)
		}
		settled(t, h)
	}
	l, err := c.List(ctx)
	check("list", err, 0)
	if len(l.Sets) != 53 || len(l.Not) != 0 || l.More != 0 || l.Sets[1] != (pla.Listed{Name: service("Set01"), Status: pla.Running}) ||
		l.Sets[52].Name.String() != `Autosession\EventLog-System` || l.Sets[52].Status != pla.Undefined {
		t.Errorf("%+v", l)
	}
	s, err := c.Read(ctx, service("set00"))
	check("read", err, 0)
	if s.XML != xmlOf("Set00") || s.Name != service("Set00") || s.Root != `%systemdrive%\PerfLogs\Admin\Set00` || s.Security == "" {
		t.Errorf("%+v", s)
	}
	_, err = c.Read(ctx, service("none"))
	check("read what is not there", err, uint32(notFound))
	check("start", c.Start(ctx, service("Set00")), 0)
	check("start again", c.Start(ctx, service("Set00")), uint32(inUse))
	check("delete what runs", c.Delete(ctx, service("Set00")), uint32(inUse))
	if is, _ := h.Set(service("Set00")); is.Status != pla.Running || is.Output == "" {
		t.Errorf("%+v", is)
	}
	check("stop", c.Stop(ctx, service("Set00")), 0)
	check("stop again", c.Stop(ctx, service("Set00")), uint32(notRunning))
	check("start a boot session", c.Start(ctx, pla.Name{Category: pla.Autosession, Set: "EventLog-System"}), uint32(notImplemented))

	changed := strings.Replace(s.XML, "15", "30", 1)
	_, err = c.Commit(ctx, pla.Change{Name: s.Name, Mode: pla.Modify, XML: changed, Was: s.XML})
	check("modify", err, 0)
	if is, _ := h.Set(s.Name); is.XML != changed {
		t.Errorf("it is %s", is.XML)
	}
	_, err = c.Commit(ctx, pla.Change{Name: s.Name, Mode: pla.Modify, XML: s.XML, Was: s.XML})
	if !errors.Is(err, pla.ErrChanged) {
		t.Errorf("one that was changed: %v", err)
	}
	settled(t, h)
	_, err = c.Commit(ctx, pla.Change{Name: service("Set01"), Mode: pla.Create, XML: changed})
	check("create what is there", err, uint32(exists))
	_, err = c.Commit(ctx, pla.Change{Name: service("none"), Mode: pla.Modify, XML: changed})
	check("modify what is not there", err, uint32(notFound))
	_, err = c.Commit(ctx, pla.Change{Name: service("New"), Mode: pla.Create, XML: "<DataCollectorSet>"})
	check("no XML", err, uint32(invalid))
	_, err = c.Commit(ctx, pla.Change{Name: pla.Name{Category: pla.System, Set: "New"}, Mode: pla.Create, XML: changed})
	check("one of the system", err, uint32(notImplemented))

	tasked := strings.Replace(changed, "<Duration>", "<Task/><Duration>", 1)
	p, err := c.Commit(ctx, pla.Change{Name: service("New"), Mode: pla.Create | pla.Validate, XML: tasked})
	check("validate", err, 0)
	if len(p) != 2 || p[0].Code != 0x00300100 || p[1].Key != "Task" || p[1].Text != "No." {
		t.Errorf("%+v", p)
	}
	if _, there := h.Set(service("New")); there {
		t.Error("a validated set is there")
	}
	as := &pla.RunAs{User: `LAB\perf`, Password: func(context.Context) ([]byte, error) {
		settled(t, h) // who is asked for one may take minutes, or end the program
		return []byte("secret"), nil
	}}
	_, err = c.Commit(ctx, pla.Change{Name: service("New"), Mode: pla.Create, XML: changed, RunAs: as})
	check("create", err, 0)
	if is, there := h.Set(service("New")); !there || is.Account != as.User || is.XML != changed {
		t.Errorf("%+v", is)
	}
	check("delete", c.Delete(ctx, service("new")), 0)
	check("delete again", c.Delete(ctx, service("New")), uint32(notFound))
	if _, there := h.Set(service("New")); there {
		t.Error("it is still there")
	}
}

// TestByHand serves for people: see the package.
func TestByHand(t *testing.T) {
	at := os.Getenv("PLATEST")
	if at == "" {
		t.Skip("serves until it is interrupted: set PLATEST to an address and a port")
	}
	address, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Address: address, Port: number, Takes: time.Second}
	if os.Getenv("PLATEST_NASTY") != "" {
		o.More = map[pla.Category]int{pla.Service: 1_000_000}
	}
	h := filled(t, o, 12)
	if o.More != nil {
		for _, s := range nasty() {
			h.Add(pla.Service, s)
		}
	}
	t.Logf("at %s for %s with %s, until it is interrupted", at, User, Password)
	for told := ""; t.Context().Err() == nil; time.Sleep(time.Second) {
		held, excess := h.References()
		now := fmt.Sprintf("%d references held, %d too many given back, %d activations", held, excess, h.Calls("IRemoteSCMActivator.RemoteCreateInstance"))
		if now != told {
			t.Log(now)
		}
		told = now
	}
}
