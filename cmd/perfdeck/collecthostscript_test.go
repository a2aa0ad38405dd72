package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdeck/session/app/remotesets"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/hosts/pla/platest"
	"perfdeck/session/wire/dcom"
)

// plaHosts are the Windows hosts of scripts, by script.
type plaHosts struct {
	*platest.Host

	slow  atomic.Bool // stops wait
	deny  atomic.Bool // sets are not touched
	stops int         // before they did
}

const plaKey = "plahost"

// plaHost starts a host with data collector sets: plahost VARIABLE, which gets its port. Then
// plahost deny and allow say whether the account may touch sets, plahost slow has stops take
// forever, plahost wait waits for one, and plahost settled holds that nobody has references to
// its objects.
func plaHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: plahost VARIABLE|deny|allow|slow|wait|settled")
	}
	h := ts.Value(plaKey).(*plaHosts)
	const stops = "IDataCollectorSet.Stop"
	switch args[0] {
	case "deny", "allow":
		h.deny.Store(args[0] == "deny")
	case "slow":
		h.stops = h.Calls(stops)
		h.slow.Store(true)
	case "wait":
		for h.Calls(stops) == h.stops {
			time.Sleep(time.Millisecond)
		}
	case "settled":
		held, excess := h.References()
		for end := time.Now().Add(5 * time.Second); held > 0 && time.Now().Before(end); held, excess = h.References() {
			time.Sleep(time.Millisecond)
		}
		if held != 0 || excess != 0 {
			ts.Fatalf("%d references are held, %d were given back too much", held, excess)
		}
	default:
		started, err := platest.New(platest.Options{Lies: platest.Lies{Before: func(ctx context.Context, m platest.Method) error {
			switch {
			case m.Name == stops && h.slow.Load():
				<-ctx.Done()
			case h.deny.Load() && (m.Name == "IDataCollectorSet.Query" || m.Name == "IDataCollectorSet.Commit"):
				return dcom.Result(0x80070005)
			}
			return nil
		}}, Findings: func(xml string) (found []pla.Problem) {
			if strings.Contains(xml, "<LogCircular>-1") {
				found = append(found, pla.Problem{Key: "/DataCollectorSet/PerformanceCounterDataCollector/LogCircular", Code: 0x80300101, Text: "Konflikt"})
			}
			if strings.Contains(xml, "<Task>") {
				found = append(found, pla.Problem{Key: "/DataCollectorSet/Task", Code: 0x80300108, Text: "\x1b[31mrot"})
			}
			return found
		}})
		ts.Check(err)
		ts.Defer(started.Close)
		h.Host = started
		for i, status := range []pla.Status{pla.Stopped, pla.Running} {
			name := fmt.Sprintf("Set%02d", i)
			started.Add(pla.Service, platest.Set{Name: name, XML: plaXML(name), Status: status, Security: "D:(A;;FA;;;BA)(A;;FR;;;LU)"})
		}
		started.Add(pla.System, platest.Set{Name: "System Performance", XML: plaXML("System Performance")})
		started.Add(pla.Session, platest.Set{Name: strings.Repeat("long", 1000)})
		started.Add(pla.Autosession, platest.Set{Name: "EventLog-System", Status: pla.Undefined})
		ts.Setenv(args[0], strconv.Itoa(started.Port()))
	}
}

func plaXML(name string) string {
	return "<DataCollectorSet><Status>0</Status><Duration>0</Duration><DisplayNameUnresolved>@x.dll,#1</DisplayNameUnresolved><Name>" + name +
		"</Name><PerformanceCounterDataCollector><Name>P</Name><SampleInterval>15</SampleInterval><LogFileFormat>3</LogFileFormat><Counter>\\Memory\\Available Bytes</Counter></PerformanceCounterDataCollector></DataCollectorSet>"
}

// What a host calls its sets is one word to a shell, whatever it is.
func TestTakesBack(t *testing.T) {
	c := &remotesets.Change{Name: pla.Name{Category: pla.Session, Set: "x'; touch y; '"}, Kept: "/kept here/x.xml"}
	if got, want := takesBack("web01", c), `perfdeck collect import -y -H web01 --name 'Session\x'\''; touch y; '\''' '/kept here/x.xml'`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := inShell(`Session\x`); filepath.Separator == '/' && got != `'Session\x'` {
		t.Error(got)
	}
}
