package names

import "testing"

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
		{"", "", ""},
	} {
		if got := Short(c.name, c.set, 11); got != c.want {
			t.Errorf("%s of %s is %q, want %q", c.name, c.set, got, c.want)
		}
	}
}
