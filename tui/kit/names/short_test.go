package names

import (
	"testing"

	"perfdeck/tui/canvas"
)

func TestShort(t *testing.T) {
	for _, c := range []struct{ name, set, want string }{
		{"% Processor Time", "Processor Information", "Proc Time"},
		{"% Privileged Time", "Processor Information", "Priv Time"},
		{"% I/O Wait", "Processor Information", "I/O Wait"},
		{"Processor Queue Length", "Processor Information", "Queue Len"},
		{"Context Switches/sec", "Processor Information", "Ctx Sw/sec"},
		{"Interrupts/sec", "Processor Information", "Interrupts"},
		{"System Up Time", "System", "Up Time"},
		{"Disk Read Bytes/sec", "PhysicalDisk", "Read"},
		{"Disk Bytes/sec", "PhysicalDisk", "Total"},
		{"Avg. Disk sec/Transfer", "PhysicalDisk", "sec/Xfer"},
		{"Disk Transfers/sec", "PhysicalDisk", "Xfers/sec"},
		{"Current Disk Queue Length", "PhysicalDisk", "Queue Len"},
		{"% Idle Time", "PhysicalDisk", "Idle Time"},
		{"Bytes Received/sec", "Network Interface", "Received"},
		{"Packets Received/sec", "Network Interface", "Pkts Recv"},
		{"Connections Established", "Network Interface", "Conns Est"},
		{"Cache Bytes", "Memory", "Cache"},
		{"Swap Used Bytes", "Memory", "Swap Used"},
		{"Load Average 15 Minutes x100", "System", "Load 15 min"},
		{"Packets Received Discarded", "Network Interface", "Discarded"},
		{"% Committed Bytes In Use", "Memory", "Committed"},
		{"Thread Count", "Process", "Threads"},
		{"Pages/sec", "Memory", "Pages/sec"},
		{"% processor time", "processor", "proc time"},
		{"% committed bytes in use", "memory", "committed"},
		{"current disk queue length", "physicaldisk", "queue len"},
		{"disk read bytes/sec", "physicaldisk", "read"},
		{"Bytes", "Memory", "Bytes"},
		{"Packets Outbound Discarded", "Network Interface", "Out Discard"},
		{"Avg. Disk Write Queue Length", "PhysicalDisk", "Write Q Len"},
		{"Elapsed Time", "Process", "Elapsed"},
		{"Received Dest. Unreachable", "ICMP", "Dest. Unreachable"},
		{"Sent Destination Unreachable", "ICMP", "Sent Dest Unreachable"},
		{"% Some Stall Time", "Pressure Stall Information", "Some Stall"},
		{"% Memory Full Stall Time", "Control Group", "Memory Full"},
		{"node_memory_Active_anon_bytes", "node", "node_memory_Active_anon_bytes"},
		{"", "", ""},
	} {
		if got := Short(c.name, c.set, 11); got != c.want {
			t.Errorf("%s of %s is %q, want %q", c.name, c.set, got, c.want)
		}
	}
}

// A name that is too long is cut between its words, where enough of them are left.
func TestCutWords(t *testing.T) {
	r := canvas.New(1, 1, canvas.Full).Root()
	for _, c := range []struct {
		name string
		w    int
		want string
	}{
		{"% Committed Bytes In Use", 24, "% Committed Bytes In Use"},
		{"% Committed Bytes In Use", 18, "% Committed…In Use"},
		{"% Committed Bytes In Use", 17, "% Committed…Use"},
		{"Free & Zero Page List", 11, "Free &…List"},
		{"Sent Dest Unreachable", 11, r.CutMiddle(11, "Sent Dest Unreachable")},
		{"node_memory_Active", 8, r.CutMiddle(8, "node_memory_Active")},
	} {
		if got := CutWords(r, c.w, c.name); got != c.want {
			t.Errorf("%s in %d cells is %q, want %q", c.name, c.w, got, c.want)
		}
	}
	for w := range 30 {
		if got := CutWords(r, w, "% Committed Bytes In Use"); canvas.Full.TextWidth(got) > w {
			t.Errorf("%d cells: %q", w, got)
		}
	}
}

// What differs in a list looks different where there is room for that, and fits.
func TestListTellsApart(t *testing.T) {
	for _, c := range []struct {
		set   string
		names []string
		want  []string
	}{
		{"Control Group", []string{"% Throttled Time", "Throttled/sec", "% Memory Limit"}, []string{"% Throttled", "Throttled", "Mem Lim"}},
		{"Memory", []string{
			"% Committed Bytes In Use", "Committed Bytes", "Available Bytes", "Available KBytes", "Available MBytes", "Pool Paged Bytes", "Pool Nonpaged Bytes",
			"Commit Limit", "Free & Zero Page List Bytes", "Pages Output/sec",
		}, []string{"% Committed", "Committed", "Available", "Avail KB", "Avail MB", "Pool Paged", "Nonpaged", "Commit Lim", "Free & Zero", "Pages Out"}},
		{"PhysicalDisk", []string{"Current Disk Queue Length", "Avg. Disk Queue Length"}, []string{"Queue Len", "Avg.…Len"}},
		{"ICMP", []string{"Sent Echo Reply/sec", "Sent Timestamp Reply/sec", "Sent Echo Reply/sec"}, []string{"Sent…Reply", "Sent Times…", "Sent…Reply"}},
	} {
		r, list := canvas.New(1, 1, canvas.Full).Root(), NewList(c.set, c.names)
		for i, name := range c.names {
			if got := list.Short(r, 11, name); got != c.want[i] {
				t.Errorf("%s of %s is %q, want %q", name, c.set, got, c.want[i])
			}
			for w := range 30 {
				if got := list.Short(r, w, name); canvas.Full.TextWidth(got) > max(w, 1) {
					t.Errorf("%s in %d cells is %q", name, w, got)
				}
			}
		}
	}
	if got := NewList("Memory", nil).Short(canvas.New(1, 1, canvas.Full).Root(), 11, "Used"); got != "Used" {
		t.Errorf("what is not in the list is %q", got)
	}
}
