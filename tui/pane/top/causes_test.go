package top

import (
	"testing"

	"perfdeck/session"
)

func setOf(name string, counters ...string) *session.Counterset {
	s := &session.Counterset{Name: name, Instances: session.MultipleInstances}
	for _, c := range counters {
		s.Counters = append(s.Counters, session.Counter{Name: c})
	}
	return s
}

var (
	ofLinux = setOf("Process", "% Processor Time", "% User Time", "% Privileged Time", "Page Faults/sec", "Working Set", "Page File Bytes",
		"Private Bytes", "Thread Count", "Handle Count", "IO Read Operations/sec", "IO Write Operations/sec", "IO Data Operations/sec",
		"IO Read Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec", "Working Set - Private", "Disk Read Bytes/sec", "Disk Write Bytes/sec", "Disk Bytes/sec", "Major Faults/sec")
	ofWindows = setOf("Process V2", "% Processor Time", "% User Time", "% Privileged Time", "Page Faults/sec", "Working Set", "Page File Bytes",
		"Private Bytes", "Pool Paged Bytes", "Pool Nonpaged Bytes", "Thread Count", "Handle Count", "IO Read Operations/sec", "IO Write Operations/sec",
		"IO Data Operations/sec", "IO Other Operations/sec", "IO Read Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec", "IO Other Bytes/sec", "Working Set - Private")
	ofRecording = setOf("Process", "Working Set - Private", "IO Data Bytes/sec")
)

// What is selected, and by which counter Linux, Windows and a recording of few
// counters tell who causes it; "" where they do not.
func TestCauseOf(t *testing.T) {
	for _, test := range []struct{ set, counter, instance, linux, windows, recording string }{
		{"PhysicalDisk", "Disk Read Bytes/sec", "0 C:", "Disk Read Bytes/sec", "IO Read Bytes/sec", "IO Data Bytes/sec"},
		{"PhysicalDisk", "Disk Write Bytes/sec", "", "Disk Write Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec"},
		{"LogicalDisk", "Disk Reads/sec", "C:", "Disk Read Bytes/sec", "IO Read Operations/sec", "IO Data Bytes/sec"},
		{"LogicalDisk", "Disk Writes/sec", "C:", "Disk Write Bytes/sec", "IO Write Operations/sec", "IO Data Bytes/sec"},
		{"LogicalDisk", "Disk Transfers/sec", "C:", "Disk Bytes/sec", "IO Data Operations/sec", "IO Data Bytes/sec"},
		{"logicaldisk", "Avg. Disk sec/Read", "C:", "Disk Read Bytes/sec", "IO Read Bytes/sec", "IO Data Bytes/sec"},
		{"LogicalDisk", "Avg. Disk Write Queue Length", "C:", "Disk Write Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec"},
		{"LogicalDisk", "Avg. Disk sec/Transfer", "C:", "Disk Bytes/sec", "IO Data Bytes/sec", "IO Data Bytes/sec"},
		{"LogicalDisk", "% Free Space", "C:", "Disk Write Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec"},
		{"Memory", "Available MBytes", "", "Working Set", "Working Set", "Working Set - Private"},
		{"Memory", "Committed Bytes", "", "Private Bytes", "Private Bytes", "Working Set - Private"},
		{"Memory", "% Committed Bytes In Use", "", "Private Bytes", "Private Bytes", "Working Set - Private"},
		{"Memory", "Pool Nonpaged Bytes", "", "Working Set", "Pool Nonpaged Bytes", "Working Set - Private"},
		{"Memory", "Page Faults/sec", "", "Page Faults/sec", "Page Faults/sec", ""},
		{"Memory", "Pages Input/sec", "", "Major Faults/sec", "Page Faults/sec", ""},
		{"Memory", "Pages/sec", "", "Major Faults/sec", "Page Faults/sec", ""},
		{"Memory", "Page Reads/sec", "", "Major Faults/sec", "Page Faults/sec", ""},
		{"LogicalDisk", "Current Disk Queue Length", "C:", "Disk Bytes/sec", "IO Data Bytes/sec", "IO Data Bytes/sec"},
		{"PhysicalDisk", "% Idle Time", "_Total", "Disk Bytes/sec", "IO Data Bytes/sec", "IO Data Bytes/sec"},
		{"System", "Blocked Threads", "", "Disk Bytes/sec", "IO Data Bytes/sec", "IO Data Bytes/sec"},
		{"Memory", "Swap Used Bytes", "", "Page File Bytes", "Page File Bytes", "Working Set - Private"},
		{"Paging File", "% Usage", "_Total", "Page File Bytes", "Page File Bytes", "Working Set - Private"},
		{"NUMA Node Memory", "Free & Zero Page List MBytes", "0", "Working Set", "Working Set", "Working Set - Private"},
		{"Network Interface", "Bytes Received/sec", "eth0", "", "IO Other Bytes/sec", ""},
		{"TCPv4", "Segments Retransmitted/sec", "", "", "IO Other Bytes/sec", ""},
		{"Processor", "% Processor Time", "0", "% Processor Time", "% Processor Time", ""},
		{"Processor Information", "% User Time", "0,0", "% User Time", "% User Time", ""},
		{"Processor Information", "% I/O Wait", "0,0", "Disk Bytes/sec", "IO Data Bytes/sec", "IO Data Bytes/sec"},
		{"System", "Context Switches/sec", "", "% Processor Time", "% Processor Time", ""},
		{"System", "Threads", "", "Thread Count", "Thread Count", ""},
		{"Pressure Stall Information", "% Some Stall Time", "io", "Disk Bytes/sec", "IO Data Bytes/sec", "IO Data Bytes/sec"},
		{"Pressure Stall Information", "% Some Stall Time", "memory", "Working Set", "Working Set", "Working Set - Private"},
		{"Pressure Stall Information", "% Some Stall Time", "cpu", "% Processor Time", "% Processor Time", ""},
		{"Thread", "% Privileged Time", "a/0", "% Privileged Time", "% Privileged Time", ""},
	} {
		set, key := setOf(test.set, "beside", test.counter), session.InstanceKey{Name: test.instance}
		for processes, want := range map[*session.Counterset]string{ofLinux: test.linux, ofWindows: test.windows, ofRecording: test.recording} {
			at, why := CauseOf(set, 1, key, processes)
			got := ""
			if at >= 0 {
				got = processes.Counters[at].Name
			}
			if got != want || at >= 0 && why != "" {
				t.Errorf(`\%s\%s: sorted by %q of %d counters, want %q (%s)`, test.set, test.counter, got, len(processes.Counters), want, why)
			}
			if want == "" && why == "" && test.set != "Thread" {
				t.Errorf(`\%s\%s: nobody says why it is not sorted`, test.set, test.counter)
			}
		}
	}
	// What nobody knows is neither sorted nor explained.
	if at, why := CauseOf(setOf("SQLServer:Locks", "Lock Waits/sec"), 0, session.InstanceKey{}, ofWindows); at >= 0 || why != "" {
		t.Errorf("an unknown counter sorts by %d: %s", at, why)
	}
	// A counter that the host cannot give is passed over.
	none := setOf("Process", "Disk Read Bytes/sec", "IO Read Bytes/sec")
	none.Counters[0].Absent = "not on this system"
	if at, _ := CauseOf(setOf("PhysicalDisk", "Disk Read Bytes/sec"), 0, session.InstanceKey{}, none); at != 1 {
		t.Errorf("a counter that is not there is sorted by: %d", at)
	}
}
