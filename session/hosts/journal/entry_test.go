package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/text/eventtext"
	"perfdeck/session/text/printable"
)

// line is a line of journalctl -o json with these fields.
func line(fields map[string]any) []byte {
	all := map[string]any{fieldTime: "1796036192440043", fieldCursor: testCursor(1), fieldTransport: "journal", fieldPID: "77", fieldUID: "0", fieldMessage: "x", fieldPriority: "6"}
	for k, v := range fields {
		all[k] = v
	}
	out, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return out
}

func testCursor(n int) string {
	return fmt.Sprintf("s=3d7ea321a2b54f4db52c817f225bacfd;i=%x;b=c828b7dd719f459abe93e38575f8d8d1;m=98c76b933;t=%x;x=7baa365b3f07595", n, int64(1796036192440043)+int64(n)*1e6)
}

func eventOf(t *testing.T, fields map[string]any) (session.HostEvent, bool) {
	t.Helper()
	e, err := parseEntry(line(fields))
	if err != nil {
		t.Fatal(err)
	}
	return e.event()
}

// Each row of the sheet has a sentence.
func TestSheet(t *testing.T) {
	k := table()
	if len(k.kernel) < 20 || len(k.ids) < 10 || len(k.services) < 10 {
		t.Fatalf("%d, %d, %d", len(k.kernel), len(k.ids), len(k.services))
	}
	for _, r := range k.kernel {
		if !eventtext.Is(r.key) {
			t.Error(r.key)
		}
	}
	for id, r := range k.ids {
		if !eventtext.Is(r.key) || r.by == byAnybody || len(id) != 32 {
			t.Error(id, r)
		}
	}
	for _, key := range k.services {
		if !eventtext.Is(key) {
			t.Error(key)
		}
	}
}

// What is known counts as such by what journald itself knows of the writer: the same of any other
// is a line of that one's, under no name of another's.
func TestForged(t *testing.T) {
	const (
		oom  = "Out of memory: Killed process 4242 (java) total-vm:1kB, anon-rss:0kB"
		fail = "d9b373ed55a64feb8242e02dbe79a49c"
		core = "fc2e22bc6ee647b6b90729ab34a250b1"
		drop = "a596d6fe7bfa4994828e72309e95d61e"
		halt = "98268866d1d54a499c4e98921d93bc40"
		exe  = "/usr/lib/systemd/systemd-coredump"
	)
	for _, c := range []struct {
		name   string
		true   map[string]any
		known  string
		forged []map[string]any // what differs in it
	}{
		{"memory killer", map[string]any{fieldTransport: "kernel", fieldFacility: "0", fieldIdentifier: "kernel", fieldMessage: oom, fieldPriority: "3"}, "memory-killer java", []map[string]any{
			{fieldTransport: "journal", fieldUID: "1000"}, {fieldTransport: "syslog", fieldUID: "1000"}, {fieldTransport: "stdout", fieldUID: "0"}, {fieldFacility: "1"}, {fieldFacility: "3"},
			{fieldMessage: "x: " + oom},
		}},
		{"unit", map[string]any{fieldPID: "1", fieldIdentifier: "systemd", fieldID: fail, fieldUnit: "db.service", "UNIT_RESULT": "exit-code", fieldPriority: "4"}, "unit-failed db exit-code", []map[string]any{
			{fieldPID: "2"}, {fieldUID: "1000"}, {fieldPID: "1", fieldUID: "1000"}, {fieldTransport: "kernel", fieldFacility: "3"}, {fieldUnit: "db.mount"}, {fieldUnit: []string{"db.service", "x"}},
		}},
		{"core dump", map[string]any{fieldExe: exe, fieldIdentifier: "systemd-coredump", fieldID: core, "COREDUMP_COMM": "shop", fieldCorePID: "88", fieldPriority: "2"}, "core-dump shop", []map[string]any{
			{fieldUID: "1000"}, {fieldExe: "/home/x/" + "coredump"}, {fieldUID: "1000", fieldOwnUnit: "user@1000.service"}, {fieldUID: "1000", "UNIT": "systemd-coredump@1.service"},
			{fieldExe: "/usr/bin/logger", fieldComm: "systemd-coredum"},
		}},
		{"core dump of a user's", map[string]any{fieldExe: exe, fieldUID: "1000", fieldOwnUnit: "systemd-coredump@7-1-0.service", fieldID: core, "COREDUMP_COMM": "shop", fieldPriority: "2"}, "core-dump shop", nil},
		{"core dump by what ended at once", map[string]any{fieldIdentifier: "systemd-coredump", fieldID: core, "COREDUMP_COMM": "shop", fieldPriority: "2"}, "core-dump shop", []map[string]any{
			{fieldUID: "1000"}, {fieldUID: "1000", fieldOwnUnit: "user@1000.service"}, {fieldExe: "/usr/bin/logger"},
		}},
		{"journald", map[string]any{fieldTransport: "driver", fieldIdentifier: "systemd-journald", fieldID: drop, "OBJECT_SYSTEMD_UNIT": "web.service"}, "suppressed web", []map[string]any{
			{fieldTransport: "journal"}, {fieldTransport: "syslog"},
		}},
		{"shutdown", map[string]any{fieldIdentifier: "systemd-logind", fieldID: halt}, "shutdown", []map[string]any{{fieldUID: "1000"}}},
	} {
		e, wanted := eventOf(t, c.true)
		if got := strings.TrimSpace(e.Known + " " + strings.Join(e.Names, " ")); !wanted || got != c.known {
			t.Errorf("%s: %q, want %q", c.name, got, c.known)
		}
		for _, differs := range c.forged {
			all := map[string]any{}
			for _, of := range []map[string]any{c.true, differs, {fieldPriority: "1"}} {
				for k, v := range of {
					all[k] = v
				}
			}
			e, wanted := eventOf(t, all)
			_, isByName := table().ids[e.ID]
			if !wanted || e.Known != "" || isByName && differs[fieldUnit] == nil {
				t.Errorf("%s by %v: %+v", c.name, differs, e)
			}
			if uid := differs[fieldUID]; uid == "1000" && e.Source == c.true[fieldIdentifier] {
				t.Errorf("%s by %v passes for %s", c.name, differs, e.Source)
			}
		}
	}
}

// Who logs on, and the audit, are nobody's here.
func TestPrivate(t *testing.T) {
	for _, fields := range []map[string]any{
		{fieldFacility: "4"}, {fieldFacility: "10"}, {fieldFacility: []string{"3", "10"}}, {fieldFacility: []int{'1', '0'}}, {fieldTransport: "audit"},
	} {
		fields[fieldPriority] = "0"
		if e, wanted := eventOf(t, fields); wanted {
			t.Errorf("%v: %+v", fields, e)
		}
	}
}

// The kernel's own sentences, as its versions write them.
func TestKernelTexts(t *testing.T) {
	for text, want := range map[string]string{
		"Memory cgroup out of memory: Killed process 812 (tail) total-vm:2097348kB, anon-rss:": "memory-killer tail 812",
		"Out of memory: Killed process 9 (a) total-vm:) total-vm:100kB":                        "memory-killer a) total-vm: 9",
		"INFO: task jbd2/sda1-8:212 blocked for more than 122 seconds.":                        "hung-task jbd2/sda1-8 122 212",
		"I/O error, dev sdb, sector 8 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 2":        "disk-error sdb",
		"blk_update_request: I/O error, dev vda, sector 2048 op 0x0:(READ) flags 0x0":          "disk-error vda",
		"critical medium error, dev sdb, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1":          "bad-block sdb",
		"recoverable transport error, dev sdc, sector 8 op 0x0:(READ)":                         "disk-error sdc",
		"ata3: hard resetting link":                                                                                       "disk-reset ata3",
		"ata3.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen":                                                "disk-error ata3",
		"nvme nvme0: I/O 12 QID 4 timeout, reset controller":                                                              "disk-reset nvme0",
		"nvme nvme0: I/O tag 5 (1005) opcode 0x2 (I/O Cmd) QID 4 timeout, aborting req_op:READ(0) size:4096":              "disk-retried nvme0",
		"EXT4-fs error (device dm-0): ext4_find_entry:1455: inode #2: comm ls: reading directory":                         "file-system-error dm-0",
		"XFS (sdb1): Metadata corruption detected at xfs_agf_read_verify":                                                 "file-system-error sdb1",
		"mce: CPU3: Core temperature above threshold, cpu clock throttled (total events = 7)":                             "throttled",
		"CPU1: Package temperature above threshold, cpu clock throttled (total events = 1)":                               "throttled",
		"mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 5: be00000000800400":                                         "machine-check",
		"EDAC MC0: 1 CE memory read error on CPU_SrcID#0":                                                                 "hardware-corrected",
		"watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [kworker:1]":                                                   "lockup 3",
		"rcu: INFO: rcu_preempt self-detected stall on CPU":                                                               "lockup",
		"clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because the skew is too large:": "clock-unstable",
		"shop[4711]: segfault at 0 ip 0000 sp 0000 error 4 in shop[1000+2000]":                                            "segfault shop 4711",
		"x: Link is Down[12]: segfault at 0 ip 0000":                                                                      "segfault x: Link is Down 12",
		"traps: shop[12] general protection fault ip:7f sp:7f error:0 in libc.so":                                         "segfault shop 12",
		"NETDEV WATCHDOG: eth0 (e1000e): transmit queue 0 timed out":                                                      "net-watchdog eth0",
		"e1000e 0000:00:19.0 eth0: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5000 ms":                           "net-watchdog eth0",
		"e1000e 0000:00:19.0 eth0: NIC Link is Down":                                                                      "link-down eth0",
		"igb 0000:01:00.0 eth0: igb: eth0 NIC Link is Up 1000 Mbps Full Duplex":                                           "link-up eth0",
		"r8169 0000:02:00.0 enp2s0: Link is Up - 1Gbps/Full - flow control off":                                           "link-up enp2s0",
		"tg3 0000:03:00.0 eth1: Link is down":                                                                             "link-down eth1",
		"nf_conntrack: nf_conntrack: table full, dropping packet":                                                         "conntrack-full",
		"nfs: server nas not responding, still trying":                                                                    "nfs-silent nas",
		"TCP: out of memory -- consider tuning tcp_mem":                                                                   "tcp-memory",
		"usb 1-1: new high-speed USB device number 2":                                                                     "",
		"usb 1-1: Product: critical medium error, dev sda, sector 1 op 0x0":                                               "",
	} {
		e, _ := eventOf(t, map[string]any{fieldTransport: "kernel", fieldFacility: "0", fieldMessage: text})
		got := e.Known
		for _, name := range e.Names {
			got += " " + name
		}
		if e.PID != 0 {
			got += fmt.Sprintf(" %d", e.PID)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What systemd tells of services counts as Service names them.
// Traces below a line of the kernel are left out, and what stands beside them is not.
func TestTraces(t *testing.T) {
	for said, wanted := range map[string]bool{
		" <TASK>": false, " </TASK>": false, "Call Trace:": false, " dump_stack_lvl+0x59/0x90": false, " oom_kill_process.cold+0x8/0x8a": false,
		" ? ___pte_offset_map+0x17/0x100": false, "RIP: 0033:0x7f580be540ba": false, "RSP: 002b:00007ffdd5a53018 EFLAGS: 00010206": false,
		"RAX: 0000000000000000 RBX: 000000000c800000 RCX: 000000000c2d7010": false, "R10: 0000000000000022 R11: 0000000000000246": false,
		"Code: 00 00 48 c7 c1 ff ff ff": false, "CPU: 1 PID: 6748 Comm: python3 Not tainted 6.1.0": false, "Hardware name: Some Board": false,
		"Mem-Info:": false, "Node 0 active_anon:12kB inactive_anon:4kB": false, "131072 pages RAM": false,
		"python3 invoked oom-killer: gfp_mask=0xcc0": true, "EXT4-fs error (device sda1): bad entry": true, "usb 1-1: device descriptor read/64, error -71": true,
		"CPU: too hot": true, "Code of conduct": true, "CS5536: found": true, "nodes are lost": true, "RAID: degraded": true,
	} {
		r, err := parseRecord([]byte("4,1,1,-;" + said))
		if err != nil {
			t.Fatal(err)
		}
		if _, got := r.entry.event(); got != wanted {
			t.Errorf("%q: wanted %t, want %t", said, got, wanted)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		fields map[string]any
		want   string
	}{
		{map[string]any{fieldID: "39f53479d3a045ac8e11786248231fbf", fieldUnit: `getty@tty\x2d1.service`}, "unit-started getty@tty-1"},
		{map[string]any{fieldID: "39f53479d3a045ac8e11786248231fbf", fieldUnit: "fstrim.service"}, "maintenance fstrim"},
		{map[string]any{fieldID: "39f53479d3a045ac8e11786248231fbf", fieldUnit: "session-3.scope"}, ""},
		{map[string]any{fieldID: "39f53479d3a045ac8e11786248231fbf", fieldUnit: "x.service", fieldMessage: "x.service - X was skipped because of an unmet condition check (ConditionPathExists=/x)."}, ""},
		{map[string]any{fieldID: "39f53479d3a045ac8e11786248231fbf", fieldUnit: "x.service", fieldPriority: "7"}, ""},
		{map[string]any{fieldID: "98e322203f7a4ed290d09fe03c09fe15", fieldUnit: "x.service", fieldCode: "exited", fieldStatus: "3"}, "unit-ended x 3"},
		{map[string]any{fieldID: "98e322203f7a4ed290d09fe03c09fe15", fieldUnit: "x.service", fieldCode: "dumped", fieldStatus: "11"}, "unit-ended x 139"},
	} {
		c.fields[fieldPID] = "1"
		e, wanted := eventOf(t, c.fields)
		got := strings.TrimSpace(e.Known + " " + strings.Join(e.Names, " "))
		if got != c.want || wanted != (c.want != "") {
			t.Errorf("%v: %q, want %q", c.fields, got, c.want)
		}
		if eventtext.IsFinding(e.Known) && e.Level < session.EventWarning {
			t.Errorf("%+v", e)
		}
	}
}

// What is foreign is one printable line, bounded, however journalctl tells it.
func TestForeignText(t *testing.T) {
	for _, c := range []struct {
		message any
		want    string
	}{
		{"a\x1b]0;title\x07b\nc", "a?]0;title?b c"},
		{[]int{'e', 27, 'x', 0, 255}, "e?x??"},
		{[]string{"one", "two"}, "one two"},
		{[]any{"one", []int{'t', 27}}, "one t?"},
		{nil, "a text that is too long for journalctl"},
		{strings.Repeat("ä", 3000), strings.Repeat("ä", session.MostEventText-1) + "…"},
	} {
		e, _ := eventOf(t, map[string]any{fieldMessage: c.message, fieldPriority: "3", fieldIdentifier: "x\x1b[31m"})
		if e.Text != c.want || e.Source != "x?[31m" || e.Level != session.EventError {
			t.Errorf("%v: %+v", c.message, e)
		}
	}
}

func FuzzEntry(f *testing.F) {
	f.Add(line(nil))
	f.Add(line(map[string]any{fieldMessage: []any{"a", []int{1, 2}}, fieldPID: "1", fieldID: "d9b373ed55a64feb8242e02dbe79a49c", fieldUnit: "a.service"}))
	f.Add(line(map[string]any{fieldTransport: "kernel", fieldMessage: "ata3: hard resetting link"}))
	f.Add([]byte(`{"__REALTIME_TIMESTAMP":"1","MESSAGE":[[[[1]]]]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parseEntry(b)
		if err != nil {
			return
		}
		out, _ := e.event()
		for _, s := range append([]string{out.Text, out.Source, out.ID, out.Unit}, out.Names...) {
			if printable.Text(s) != s || len([]rune(s)) > session.MostEventText+100 {
				t.Fatalf("%q", s)
			}
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte("6,1,0,-;Command line: console\n SUBSYSTEM=x\n DEVICE=y\n"))
	f.Add([]byte("30,18446744073709551615,9223372036854775807,c;\x1b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := parseRecord(b); err == nil {
			r.entry.event()
		}
	})
}

// A line of the kernel's log, and one that a program wrote there.
func TestRecord(t *testing.T) {
	r, err := parseRecord([]byte("4,339,5140900,-;ata3: hard resetting link\n SUBSYSTEM=scsi\n"))
	if err != nil || r.number != 339 || r.since.Microseconds() != 5140900 {
		t.Fatalf("%+v, %v", r, err)
	}
	if e, _ := r.entry.event(); e.Known != "disk-reset" || e.Log != logKernel || e.Level != session.EventWarning || e.Text != "ata3: hard resetting link" {
		t.Errorf("%+v", e)
	}
	r, err = parseRecord([]byte("12,340,5140901,-;ata3: hard resetting link"))
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := r.entry.event(); e.Known != "" || e.Source == logKernel {
		t.Errorf("%+v", e)
	}
	for _, bad := range []string{"", "6", "6,1;x", "a,1,1,-;x", "6,-1,1,-;x", "6,1,-1,-;x", "6,1,9223372036854775807,-;x"} {
		if r, err := parseRecord([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, r)
		}
	}
}

func TestLines(t *testing.T) {
	var l lineReader
	var got []string
	for _, part := range []string{"a\nb", "c\n\n", strings.Repeat("x", mostLine), "y", "\nd\ne"} {
		l.add([]byte(part), func(line []byte) bool {
			got = append(got, string(line))
			return true
		})
	}
	if want := "a|bc|||d"; strings.Join(got, "|") != want {
		t.Errorf("%.99q", got)
	}
}

func BenchmarkEntry(b *testing.B) {
	for name, fields := range map[string]map[string]any{
		"program": {fieldMessage: "request 123 took 45 ms, connection reset by peer 10.0.3.7", fieldPriority: "4", fieldIdentifier: "floodd"},
		"kernel":  {fieldMessage: "IPT-DROP IN=eth0 OUT= MAC=00:11:22 SRC=10.0.3.7 DST=10.0.3.8 LEN=40 TOS=0x00 PREC=0x00 TTL=64 ID=1 PROTO=TCP", fieldPriority: "4", fieldTransport: "kernel", fieldFacility: "0"},
	} {
		text := line(fields)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e, err := parseEntry(text)
				if err != nil {
					b.Fatal(err)
				}
				e.event()
			}
		})
	}
}
