package explain

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// limited is a host with memory, swap and disks, of which pictures show what is used.
func limited(c session.Clock) session.Source {
	raw := func(name string, is float64) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: fake.Const(is)}
	}
	return fake.New(fake.Script{Name: "sql01", Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{
			raw("Available Bytes", 4<<30), raw("Physical Bytes", 16<<30), raw("Committed Bytes", 3<<30), raw("Commit Limit", 12<<30), raw("Swap Used Bytes", 1<<30),
		}},
		{Name: "Paging File", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "_Total", Flags: session.FlagTotal}, {Name: "sda2"}}, Counters: []fake.Counter{
			{Name: "% Usage", Type: cooker.RawFraction, Is: fake.Const(25), Per: fake.Const(1000), Mean: true},
		}},
		{Name: "LogicalDisk", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "C:"}}, Counters: []fake.Counter{
			{Name: "% Free Space", Type: cooker.RawFraction, Is: fake.Const(12.5), Per: fake.Const(1000)},
		}},
		{Name: "Network Interface", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "eth0"}}, Counters: []fake.Counter{
			raw("Bytes Total/sec", 125e3), raw("Current Bandwidth", 10e6),
		}},
	}}, c)
}

// What pictures show of a value is worked out: what is used of what is left, and the
// share of what limits it.
func TestExplainsWhatIsDrawn(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{`\Memory\Available Bytes`, `used = \Memory\Physical Bytes - Available Bytes 16.0 GB - 4.00 GB = 12.0 GB, 75.0 % of it`},
		{`\Memory\Committed Bytes`, `25.0 % of 12.0 GB \Memory\Commit Limit`},
		{`\Memory\Swap Used Bytes`, `25.0 % of 4.00 GB 100 x Swap Used Bytes / \Paging File(_Total)\% Usage`},
		{`\LogicalDisk(C:)\% Free Space`, `used = 100 - % Free Space 100.0 % - 12.5 % = 87.5 %`},
		{`\Network Interface(eth0)\Bytes Total/sec`, `10.0 % of 1.19 MB/s \Network Interface(*)\Current Bandwidth`},
	} {
		explained(t, limited, c.path, 120, 60, 2, func(r *rig) {
			r.Desk.Hosts[0].Feed.Ask(r.screen.Asks(r.Desk.Hosts[0]))
			r.pass(3)
			says := func() {
				if !strings.Contains(r.text(), c.want) {
					t.Errorf("%s: no %q in\n%s", c.path, c.want, r.Text())
				}
			}
			says()
			r.Desk.At = r.Desk.Now().Add(-time.Second) // raw samples are not kept
			r.Draw()
			says()
		})
	}
	explained(t, limited, `\Memory\Physical Bytes`, 120, 60, 2, func(r *rig) {
		if strings.Contains(r.text(), "drawn") {
			t.Error(r.text())
		}
	})
	// Until the limit is known nothing is made up.
	explained(t, limited, `\Memory\Available Bytes`, 120, 60, 2, func(r *rig) { r.Shows("which is not known now") })
}
